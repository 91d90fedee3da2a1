import { hostname } from "node:os";
import { recordText } from "../../runtime/abi/text/record-text.js";
import { VERSION } from "../../runtime/abi/version.js";
import { defaultRecordOf } from "../../runtime/logging/default-record.js";
import { finishedExchange } from "../support/finished-exchange.js";

const FIELDS = [
  ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"],
  ["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
  ["Accept-Language", "en-US,en;q=0.5"],
  ["Accept-Encoding", "gzip, deflate, br, zstd"],
  ["Referer", "https://www.example.com/shop/items?page=2"],
  ["X-Request-Id", "6f1ed002ab5595859014ebf0951522d9"],
  ["Cache-Control", "no-cache"],
] as const;

const RESPONSE = [
  ["Content-Type", "application/json"],
  ["ETag", '"65f0c1a4-400"'],
  ["Last-Modified", "Tue, 12 Mar 2026 20:55:32 GMT"],
  ["Server", `GW/${VERSION}`],
  ["Date", "Sat, 21 Nov 2026 09:00:00 GMT"],
] as const;

const FORWARDED =
  "X-Real-IP: 192.0.2.7\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: www.example.com\r\nX-Forwarded-Port: 9080\r\n";

function exchangeWith(headers: number) {
  const lines = FIELDS.slice(0, headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return finishedExchange({
    request: `GET /shop/items?page=3&sort=price HTTP/1.1\r\nHost: www.example.com\r\n${lines.join("")}\r\n`,
    responseFields: RESPONSE,
    forwarded: FORWARDED,
    route: { id: "shop", serviceId: "s1" },
  });
}

type Made = ReturnType<typeof exchangeWith>;

/** The same record as an object; repeated fields are left out of account. */
function asObject(x: Made): string {
  const headers: Record<string, string> = { host: x.request.headers.get("host") ?? "" };
  x.outgoing.headers.forEach((name, value) => {
    headers[name.toLowerCase()] = value;
  });
  for (const line of x.outgoing.forwardingLines.split("\r\n").slice(0, -1)) {
    const colon = line.indexOf(": ");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2);
  }
  const received: Record<string, string> = {};
  x.response.headers.forEach((name, value) => {
    received[name.toLowerCase()] = value;
  });
  const querystring: Record<string, string | true> = {};
  for (const pair of x.args.split("&")) {
    const equals = pair.indexOf("=");
    if (equals < 0) querystring[pair] = true;
    else querystring[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  const uri = `${x.uri}?${x.args}`;
  return recordText({
    upstream: x.upstreamAddr,
    start_time: x.startedAt,
    client_ip: x.remoteAddr,
    service_id: x.serviceId ?? "",
    route_id: x.routeId,
    request: {
      querystring,
      size: x.requestLength,
      uri,
      url: `${x.scheme}://${x.host}:${x.serverPort}${uri}`,
      headers,
      method: x.outgoing.method,
    },
    response: { headers: received, size: x.bytesSent, status: x.response.status },
    server: { hostname: hostname(), version: VERSION },
    latency: x.latency,
    upstream_latency: x.upstreamLatency,
    gw_latency: Math.max(0, x.latency - (x.upstreamLatency ?? 0)),
  });
}

const ROUND = 20_000;
const out = Buffer.alloc(8_192);

/** CPU microseconds for one record that is written to a buffer: the best of ten rounds. */
function measured(make: (x: Made) => string, exchanges: readonly Made[]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < ROUND; i++) out.write(make(exchanges[i % exchanges.length] as Made), 0, "latin1");
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / ROUND);
  }
  return best;
}

const several = <T>(make: () => T): T[] => Array.from({ length: 64 }, make);

/** Cost of the default record, and of the same as an object through JSON.stringify, for 4 and 8 request headers. */
export function recordsReport(): string {
  const redacting = defaultRecordOf({ headers: ["authorization", "cookie", "set-cookie"], query: ["jwt"] });
  const rows = [4, 8].map((count) => {
    const exchanges = several(() => exchangeWith(count - 1));
    const [text, object] = [measured(redacting, exchanges), measured(asObject, exchanges)];
    const bytes = asObject(exchangeWith(count - 1)).length;
    return `| ${count} | ${bytes} | ${text.toFixed(2)} | ${object.toFixed(2)} |`;
  });
  return [
    "| headers | bytes | default record, µs | object and JSON.stringify, µs |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
