import type { UpstreamTable } from "../abi/generation.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { OBSERVED } from "../wire/fields.js";
import type { HeaderList } from "../wire/header-list.js";
import type { LiveNode } from "./contract.js";

const OBSERVED_NAMES: ReadonlySet<string> = new Set(OBSERVED);

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Host for the upstream: a plugin's, else by pass_host (reference 3.3 and 13.42). */
function upstreamAuthority(
  x: GatewayExchange,
  host: string | undefined,
  table: UpstreamTable,
  node: LiveNode,
): string {
  if (host !== undefined) return wireTarget(host);
  if (table.passHost === "pass") return x.inbound.head.authority || nodeAuthority(table, node);
  if (table.passHost === "rewrite") return table.upstreamHost ?? nodeAuthority(table, node);
  return nodeAuthority(table, node);
}

/** Bytes that would end a target or a host, or the line, before their time. */
const UNSAFE = /[^\x21-\x7e]/g;

/** A target or host that a configuration made, from whatever parts: what cannot stand in a request line is escaped. */
function wireTarget(text: string): string {
  UNSAFE.lastIndex = 0;
  if (!UNSAFE.test(text)) return text;
  return text.replace(UNSAFE, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

const nodeAuthority = (table: UpstreamTable, node: LiveNode) =>
  node.port === DEFAULT_PORT[table.scheme] ? node.host : `${node.host}:${node.port}`;

/**
 * Forwarding fields. The client's own X-Forwarded-Proto, -Host and -Port are believed only from a trusted peer; those
 * that a configuration wrote always count, and X-Forwarded-For is continued from whatever stands there.
 */
function plainForwarding(x: GatewayExchange): string {
  const { connection } = x.inbound;
  const { host } = x;
  if (connection.forwardingHost !== host || connection.forwardingFields === "") {
    const { remoteAddr, serverPort, scheme } = x;
    connection.forwardingHost = host;
    connection.forwardingFields = `X-Real-IP: ${remoteAddr}\r\nX-Forwarded-For: ${remoteAddr}\r\nX-Forwarded-Proto: ${scheme}\r\nX-Forwarded-Host: ${host}\r\nX-Forwarded-Port: ${serverPort}\r\n`;
  }
  return connection.forwardingFields;
}

function carefulForwarding(x: GatewayExchange, fields: HeaderList, trusted: boolean): string {
  const before = fields.get("x-forwarded-for");
  fields.delete("x-forwarded-for");
  fields.delete("forwarded");
  let out = "";
  const observed: readonly [string, string][] = [
    ["X-Forwarded-Proto", x.scheme],
    ["X-Forwarded-Host", x.host],
    ["X-Forwarded-Port", String(x.serverPort)],
  ];
  if (!fields.wasWritten("x-real-ip")) {
    fields.delete("x-real-ip");
    out += `X-Real-IP: ${x.remoteAddr}\r\n`;
  }
  out += `X-Forwarded-For: ${before === undefined ? "" : `${before}, `}${x.remoteAddr}\r\n`;
  for (const [name, value] of observed) {
    const lower = name.toLowerCase();
    if (fields.wasWritten(lower) || (trusted && fields.has(lower))) continue;
    fields.delete(lower);
    out += `${name}: ${value}\r\n`;
  }
  return out;
}

/** Text of the request head for one node, with its framing; the body is sent as it was framed by the client. */
export function upstreamHead(
  x: GatewayExchange,
  table: UpstreamTable,
  node: LiveNode,
  trusted: boolean,
  upgrade: boolean,
): string {
  const { outgoing } = x;
  const { framing, observed } = x.inbound.head;
  const careful = observed || outgoing.fields.wroteAny(OBSERVED_NAMES);
  // Careful forwarding edits a copy, so that a retry starts from the same fields.
  const fields = careful ? outgoing.fields.copy() : outgoing.fields;
  const forwarding = careful ? carefulForwarding(x, fields, trusted) : plainForwarding(x);
  const host = upstreamAuthority(x, outgoing.host, table, node);
  outgoing.sentHost = host;
  outgoing.forwarded = forwarding;
  const target = outgoing.target === x.inbound.head.target ? outgoing.target : wireTarget(outgoing.target);
  let head = `${outgoing.method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${fields.toWire()}${forwarding}`;
  if (framing.kind === "length")
    head += `Content-Length: ${framing.length - (x.heldRequest?.cutBytes ?? 0)}\r\n`;
  else if (framing.kind === "chunked") head += "Transfer-Encoding: chunked\r\n";
  if (upgrade) head += `Connection: Upgrade\r\nUpgrade: ${x.inbound.head.upgrade}\r\n`;
  return `${head}\r\n`;
}
