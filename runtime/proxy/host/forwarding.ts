import type { UpstreamTable } from "../../abi/generation.js";
import { percentEncode } from "../../abi/text/bytes.js";
import type { HeaderList } from "../../http/header-list.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { OBSERVED_NAMES } from "./admission.js";
import type { LiveNode } from "./contract.js";

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Host for the upstream: a plugin's, otherwise by pass_host (reference 3.3 and 13.42). */
function upstreamAuthority(
  x: GatewayExchange,
  host: string | undefined,
  table: UpstreamTable,
  node: LiveNode,
): string {
  if (host !== undefined) return wireTarget(host);
  if (table.passHost === "pass") return x.authority.sent || nodeAuthority(table, node);
  if (table.passHost === "rewrite") return table.upstreamHost ?? nodeAuthority(table, node);
  return nodeAuthority(table, node);
}

/** Bytes that would end a target, host or line early. */
const UNSAFE = /[^\x21-\x7e]/g;

/** Escapes bytes of a configured target or host that a request line cannot contain. */
function wireTarget(text: string): string {
  UNSAFE.lastIndex = 0;
  if (!UNSAFE.test(text)) return text;
  return text.replace(UNSAFE, percentEncode);
}

const nodeAuthority = (table: UpstreamTable, node: LiveNode) =>
  node.port === DEFAULT_PORT[table.scheme] ? node.host : `${node.host}:${node.port}`;

/** Forwarding headers of a request that has none: equal for all requests of a connection with one host. */
function plainForwarding(x: GatewayExchange): string {
  const { connection, head } = x.inbound;
  if (connection.forwardingAuthority !== head.authority || connection.forwardingFields === "") {
    const { remoteAddr } = x;
    let fields = `X-Real-IP: ${remoteAddr}\r\nX-Forwarded-For: ${remoteAddr}\r\n`;
    for (const [name, value] of observedFields(x)) fields += `${name}: ${value}\r\n`;
    connection.forwardingAuthority = head.authority;
    connection.forwardingFields = fields;
  }
  return connection.forwardingFields;
}

/** Headers about the client's connection; an HTTP/1.0 client may name no host. */
function observedFields(x: GatewayExchange): [name: string, value: string][] {
  const { named, port } = x.authority;
  return [
    ["X-Forwarded-Proto", x.scheme],
    ...(named === "" ? [] : [["X-Forwarded-Host", named] as [string, string]]),
    ["X-Forwarded-Port", port === "" ? String(x.serverPort) : port],
  ];
}

/**
 * Forwarding headers of a request that has some, from a trusted proxy (`applyAdmission`) or the
 * configuration. X-Forwarded-For is extended; X-Real-IP is the configuration's or the client's address; the
 * others stay.
 */
function carefulForwarding(x: GatewayExchange, fields: HeaderList): string {
  const before = fields.get("x-forwarded-for");
  fields.delete("x-forwarded-for");
  fields.delete("forwarded");
  let out = "";
  if (!fields.wasWritten("x-real-ip")) {
    fields.delete("x-real-ip");
    out += `X-Real-IP: ${x.remoteAddr}\r\n`;
  }
  const peer = x.inbound.connection.remoteAddr;
  out += `X-Forwarded-For: ${before ? `${before}, ` : ""}${peer}\r\n`;
  for (const [name, value] of observedFields(x)) if (!fields.has(name)) out += `${name}: ${value}\r\n`;
  return out;
}

/** Without a length a server may wait for one, or reply 411 (RFC 9110 section 8.6). */
const EXPECT_BODIES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Serializes the request head for one node, with its framing; the body keeps the client's framing. */
export function upstreamHead(
  x: GatewayExchange,
  table: UpstreamTable,
  node: LiveNode,
  upgrade: boolean,
): string {
  const { outgoing } = x;
  const { framing, hasForwardingHeader } = x.inbound.head;
  const careful = hasForwardingHeader || outgoing.fields.wroteAny(OBSERVED_NAMES);
  // A copy, so that a retry starts from the same headers.
  const fields = careful ? outgoing.fields.copy() : outgoing.fields;
  const forwarding = careful ? carefulForwarding(x, fields) : plainForwarding(x);
  const host = upstreamAuthority(x, outgoing.host, table, node);
  outgoing.sentHost = host;
  outgoing.forwardingLines = forwarding;
  const target = outgoing.target === x.target ? outgoing.target : wireTarget(outgoing.target);
  let head = `${outgoing.method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${fields.toWire()}${forwarding}`;
  if (framing.kind === "length")
    head += `Content-Length: ${framing.length - (x.bufferedRequest?.cutBytes ?? 0)}\r\n`;
  else if (framing.kind === "chunked") head += "Transfer-Encoding: chunked\r\n";
  else if (EXPECT_BODIES.has(outgoing.method)) head += "Content-Length: 0\r\n";
  if (upgrade) head += `Connection: Upgrade\r\nUpgrade: websocket\r\n`;
  return `${head}\r\n`;
}
