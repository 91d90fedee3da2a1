import type { Exchange } from "../../abi/exchange.js";
import type { UpstreamTable } from "../../abi/generation.js";
import { utf8 } from "../../abi/text/bytes.js";
import { textPieces } from "../../abi/text/references.js";

/** Returns the key by which a request is hashed; the client's address if the key is missing. */
export type HashKey = (x: Exchange) => string;

type Read = (x: Exchange) => string | number | undefined;

/** Variables that are members of an exchange; `variable` reads the others. */
const MEMBERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["request_method", (x) => x.method],
  ["method", (x) => x.method],
  ["uri", (x) => x.uri],
  ["request_uri", (x) => x.requestUri],
  ["real_request_uri", (x) => x.requestUri],
  ["args", (x) => x.args],
  ["query_string", (x) => x.args],
  ["host", (x) => x.host],
  ["hostname", (x) => x.host],
  ["server_name", (x) => x.host],
  ["scheme", (x) => x.scheme],
  ["server_protocol", (x) => x.serverProtocol],
  ["content_type", headerOf("content-type")],
  ["request_id", (x) => x.requestId],
  ["remote_addr", (x) => x.remoteAddr],
  ["remote_port", (x) => x.remotePort],
  ["server_addr", (x) => x.serverAddr],
  ["server_port", (x) => x.serverPort],
  ["route_id", (x) => x.routeId],
  ["route_name", (x) => x.routeName],
  ["service_id", (x) => x.serviceId],
  ["service_name", (x) => x.serviceName],
  ["consumer_name", (x) => x.consumerName],
]);

const GROUPS: readonly (readonly [prefix: string, read: (name: string) => Read])[] = [
  ["arg_", (name) => (x) => x.arg(name)],
  ["http_", (name) => headerOf(name.replaceAll("_", "-"))],
  ["cookie_", (name) => (x) => x.cookie(name)],
  ["uri_param_", (name) => (x) => x.uriParam(name)],
];

export function hashKeyOf({ hashOn = "vars", hashKey = "remote_addr" }: UpstreamTable): HashKey {
  const read = readerOf(hashOn, hashKey);
  return (x) => {
    const key = read(x);
    return key === undefined || key === "" ? x.remoteAddr : String(key);
  };
}

function readerOf(hashOn: NonNullable<UpstreamTable["hashOn"]>, key: string): Read {
  if (hashOn === "header") return headerOf(key);
  if (hashOn === "cookie") return (x) => x.cookie(key);
  if (hashOn === "consumer") return (x) => x.consumerName;
  return hashOn === "vars" ? variableOf(key) : combinationOf(key);
}

function headerOf(name: string): Read {
  const lowerCase = name.toLowerCase();
  return (x) => x.request.headers.get(lowerCase);
}

function variableOf(name: string): Read {
  const member = MEMBERS.get(name);
  if (member !== undefined) return member;
  const group = GROUPS.find(([prefix]) => name.startsWith(prefix));
  return group === undefined ? (x) => x.variable(name) : group[1](name.slice(group[0].length));
}

/** Reads a template such as `$host-${cookie_sid ?? none}`. If all variables are empty, so is the key. */
function combinationOf(text: string): Read {
  const pieces = textPieces(text).map((piece) =>
    "literal" in piece ? utf8(piece.literal) : withDefault(variableOf(piece.name), piece.fallback),
  );
  return (x) => {
    let found = false;
    const values = pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      const value = piece(x);
      found ||= value !== "";
      return value;
    });
    return found ? values.join("") : undefined;
  };
}

function withDefault(read: Read, written = ""): (x: Exchange) => string | number {
  const otherwise = utf8(written);
  return (x) => read(x) ?? otherwise;
}
