import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { FORWARDING, SAID_BY_GATEWAYS } from "./admission.js";
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
const KEPT = [...FORWARDING, ...SAID_BY_GATEWAYS];

/** The fields that travel to the other end (RFC 9110 section 7.6.1). */
export function endToEnd(fields: Fields): Fields {
  const named = valuesOf(fields, "connection")
    .flatMap((value) => value.split(","))
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "host" && !KEPT.includes(name));
  return [...HOP_BY_HOP, ...named].reduce(without, fields);
}

/** The fields that the upstream receives: Host, what is left of the client's, and the observed addresses (3.3, 17). */
export function forwardedFields(state: State, table: UpstreamTable): Fields {
  const { request, forwarded } = state;
  const own = without(without(forwarded.headers, "host"), "forwarded");
  const before = fieldOf(own, "x-forwarded-for");
  const peer = request.peerAddress ?? request.clientAddress;
  const isWritten = forwarded.written.has("x-real-ip") && fieldOf(own, "x-real-ip") !== undefined;
  let fields = isWritten ? own : replaced(own, "X-Real-IP", request.clientAddress);
  fields = replaced(fields, "X-Forwarded-For", before ? `${before}, ${peer}` : peer);
  /** What stands there is a plugin's or a trusted proxy's; everybody else's was taken out before. */
  const observed = (name: string, value: string) => {
    if (fieldOf(fields, name) === undefined) fields = replaced(fields, name, value);
  };
  const named = fieldOf(request.headers, "host") ?? "";
  const [, name = "", port] = /^(.*?)(?::([0-9]+))?:?$/.exec(named) ?? [];
  observed("X-Forwarded-Proto", request.secure ? "https" : "http");
  observed("X-Forwarded-Host", withoutDot(name) + (port === undefined ? "" : `:${port}`));
  observed("X-Forwarded-Port", port ?? String(request.serverPort));
  if (forwarded.body === "" && BODY_METHODS.includes(forwarded.method) && isUnframed(request.headers))
    fields = [...fields, ["Content-Length", "0"]];
  return [["Host", hostFor(state, table)], ...fields];
}

/** Methods whose requests say that their body is empty (RFC 9110 section 8.6). */
const BODY_METHODS = ["POST", "PUT", "PATCH"];

const isUnframed = (fields: Fields): boolean =>
  fieldOf(fields, "content-length") === undefined && fieldOf(fields, "transfer-encoding") === undefined;

/** "a.test." is "a.test" (RFC 3986 section 3.2.2). */
export const withoutDot = (name: string): string => name.replace(/(?<=.)\.$/, "");

function hostFor({ request, forwarded }: State, table: UpstreamTable): string {
  if (forwarded.host !== undefined) return forwarded.host;
  const [node] = table.nodes;
  const standard = table.scheme === "https" ? 443 : 80;
  const ofNode = node === undefined ? "" : node.port === standard ? node.host : `${node.host}:${node.port}`;
  const ofClient = (fieldOf(request.headers, "host") ?? "").toLowerCase();
  switch (table.passHost) {
    case "pass":
      return ofClient.replace(/:$/, "").replace(/(?<=.)\.(?=:[0-9]*$|$)/, "") || ofNode;
    case "node":
      return ofNode;
    case "rewrite":
      return table.upstreamHost ?? "";
  }
}
