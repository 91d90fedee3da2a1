import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { type Fields, fieldOf, replaced, valuesOf, without } from "./message.js";
import type { State } from "./state.js";

const HOP_BY_HOP = [
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];
/** Fields that Connection cannot take away: they say where a request goes and where it came from. */
const KEPT = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
];

/** The fields that travel to the other end (RFC 9110 section 7.6.1). */
export function endToEnd(fields: Fields): Fields {
  const named = valuesOf(fields, "connection")
    .flatMap((value) => value.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "host" && !KEPT.includes(name));
  return [...HOP_BY_HOP, ...named].reduce(without, fields);
}

/** The fields that the upstream receives: Host, what is left of the client's, and the observed addresses (3.3). */
export function forwardedFields(state: State, table: UpstreamTable): Fields {
  const { request, forwarded } = state;
  const own = without(without(forwarded.headers, "host"), "forwarded");
  /** A plugin's own value is honoured; a client's word about itself is not. */
  const observed = (fields: Fields, name: string, value: string): Fields => {
    const given = forwarded.written.has(name.toLowerCase()) && fieldOf(fields, name) !== undefined;
    return given ? fields : replaced(fields, name, value);
  };
  const before = fieldOf(own, "x-forwarded-for");
  let fields = observed(own, "X-Real-IP", request.clientAddress);
  fields = replaced(
    fields,
    "X-Forwarded-For",
    before === undefined ? request.clientAddress : `${before}, ${request.clientAddress}`,
  );
  fields = observed(fields, "X-Forwarded-Proto", "http");
  fields = observed(fields, "X-Forwarded-Host", state.host);
  fields = observed(fields, "X-Forwarded-Port", String(request.serverPort));
  return [["Host", hostFor(state, table)], ...fields];
}

function hostFor({ request, forwarded }: State, table: UpstreamTable): string {
  if (forwarded.host !== undefined) return forwarded.host;
  const [node] = table.nodes;
  const standard = table.scheme === "https" ? 443 : 80;
  switch (table.passHost) {
    case "pass":
      return fieldOf(request.headers, "host") ?? "";
    case "node":
      return node === undefined ? "" : node.port === standard ? node.host : `${node.host}:${node.port}`;
    case "rewrite":
      return table.upstreamHost ?? "";
  }
}
