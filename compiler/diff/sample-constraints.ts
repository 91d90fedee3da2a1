import { isIP } from "node:net";
import { percentEncode } from "../../runtime/abi/text/bytes.js";
import type { SampleRequest } from "./simulator.js";

/** Other properties of a sample request are free. */
export interface SampleConstraints {
  method?: string;
  host?: string;
  path?: string;
  /** Path pattern that `path` matches; undefined if a condition requires the whole path. */
  pattern?: string | undefined;
  parts?: Readonly<Record<string, string>>;
  client?: string;
  clientPort?: number;
  http?: "1.0" | "1.1";
  /** Variables of its TLS connection without `$ssl_`; null for a request without TLS. */
  tls?: Readonly<Record<string, string>> | null;
  /** Address and port that receive it. */
  serverAddress?: string;
  port?: number;
  /** Result of every random number, from 0 to 1. */
  chance?: number;
  body?: string;
  /** Query without the question mark; `args` are appended. */
  query?: string;
  args?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  cookies?: Readonly<Record<string, string>>;
  /** Status of the upstream's response. */
  status?: number;
  answerHeaders?: Readonly<Record<string, string>>;
  answerBody?: string;
}

/** Addresses and names for documentation (RFC 5737, RFC 2606), which no configuration uses. */
export const ANY_CLIENT = "192.0.2.1";
export const ANY_HOST = "host.example";

/** The second one wins. */
export function merged(a: SampleConstraints, b: SampleConstraints): SampleConstraints {
  return {
    ...a,
    ...b,
    ...(b.path !== undefined && { pattern: b.pattern }),
    parts: { ...a.parts, ...b.parts },
    ...(a.tls && b.tls && { tls: { ...a.tls, ...b.tls } }),
    args: { ...a.args, ...b.args },
    headers: { ...a.headers, ...b.headers },
    cookies: { ...a.cookies, ...b.cookies },
    answerHeaders: { ...a.answerHeaders, ...b.answerHeaders },
  };
}

const REQUEST_LINE: Readonly<Record<string, keyof SampleConstraints>> = {
  method: "method",
  request_method: "method",
  host: "host",
  hostname: "host",
  http_host: "host",
  uri: "path",
  args: "query",
  query_string: "query",
};
/** Headers from which variables of other names take their value. */
const FIELDS: Readonly<Record<string, (value: string) => Readonly<Record<string, string>>>> = {
  content_type: (value) => ({ "content-type": value }),
  remote_user: (value) => ({
    authorization: `Basic ${Buffer.from(`${value}:`, "latin1").toString("base64")}`,
  }),
};
const LINE = /^(?:request|request_line)$/;
const TARGET = /^(?:real_)?request_uri$/;
const ADDRESS: ReadonlySet<string> = new Set(["remote_addr", "realip_remote_addr"]);
const LENGTH = /^(?:content|request)_length$/;
/** Maximum bytes for an example. */
const MAX_BODY = 65_536;

/** @returns undefined if a request cannot decide the variable */
export function assigned(variable: string, value: string): SampleConstraints | undefined {
  if (variable === "is_args") return value === "" ? {} : { query: "a=1" };
  const field = REQUEST_LINE[variable];
  if (field === "path") return value.startsWith("/") ? { path: value } : undefined;
  if (field !== undefined) return { [field]: value };
  if (variable === "status" || variable === "upstream_status") return assignedStatus(value);
  const end = assignedEnd(variable, value);
  if (end !== undefined) return end;
  if (TARGET.test(variable)) return assignedTarget(value);
  if (LINE.test(variable)) return assignedLine(value);
  const fields = FIELDS[variable]?.(value);
  if (fields !== undefined) return { headers: fields };
  if (LENGTH.test(variable)) return assignedLength(Number(value));
  const tls = assignedTls(variable, value);
  if (tls !== undefined) return { tls };
  const [, kind, name = ""] =
    /^(arg|http|cookie|uri_param|sent_http|upstream_http)_(.+)$/.exec(variable) ?? [];
  const fieldName = name.replaceAll("_", "-");
  switch (kind) {
    case "arg":
      return { args: { [name]: value } };
    case "http":
      return { headers: { [fieldName]: value } };
    case "uri_param":
      return { parts: { [name]: value } };
    case "cookie":
      return { cookies: { [name]: value } };
    case "sent_http":
    case "upstream_http":
      return { answerHeaders: { [fieldName]: value } };
    default:
      return undefined;
  }
}

function assignedLine(value: string): SampleConstraints | undefined {
  const [, method, target = "", minor] = /^([A-Z]+)(?: ([^ ]+)(?: HTTP\/1.([01]))?)? ?$/s.exec(value) ?? [];
  const whole = method === undefined ? undefined : assignedTarget(target);
  return whole && { ...whole, method, ...(minor !== undefined && { http: minor === "0" ? "1.0" : "1.1" }) };
}

function assignedEnd(variable: string, value: string): SampleConstraints | undefined {
  if (variable === "server_addr" || ADDRESS.has(variable)) {
    const address = wholeAddress(value);
    if (address === undefined) return undefined;
    return variable === "server_addr" ? { serverAddress: address } : { client: address };
  }
  if (variable === "server_protocol" && (value === "HTTP/1.0" || value === "HTTP/1.1"))
    return { http: value === "HTTP/1.0" ? "1.0" : "1.1" };
  if (!isPort(value)) return undefined;
  if (variable === "server_port") return { port: Number(value) };
  return variable === "remote_port" ? { clientPort: Number(value) } : undefined;
}

/** @param text matched by a pattern at its start: "5" gives 500, as does "5aa", a sample of `^5..` */
function assignedStatus(text: string): SampleConstraints | undefined {
  const status = text.replace(/\D/g, "0").padEnd(3, "0");
  return /^[2-5]\d\d$/.test(status) ? { status: Number(status) } : undefined;
}

/**
 * @param text matched by a pattern at its start or end: "10." gives 10.0.0.1, "2001:db8:" gives 2001:db8::1.
 * "192a168a", a sample of `^192.168.`, gives 192.168.0.1
 */
function wholeAddress(text: string): string | undefined {
  const dotted = text.replace(/[^\d.]/g, ".");
  const parts = dotted.replace(/\.$/, "").split(".");
  const whole = [...parts, ...["0", "0", "1"].slice(parts.length - 1)].join(".");
  const begun = [`${text}1`, `${text}:1`, `${text}::1`];
  const ended = [`192.0.2${text}`, `2001:db8:${text}`];
  return [text, ...(text.includes(":") ? [] : [whole]), ...begun, ...ended].find(
    (address) => isIP(address) !== 0,
  );
}

function assignedTarget(value: string): SampleConstraints | undefined {
  const [, path = "", query] = /^([^?]*)(?:\?(.*))?$/s.exec(value) ?? [];
  if (path !== "" && !path.startsWith("/")) return undefined;
  return { ...(path !== "" && { path }), ...(query !== undefined && { query }) };
}

/** `$request_length` includes the head, so that its value is larger than the body. */
const assignedLength = (bytes: number): SampleConstraints | undefined =>
  Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BODY
    ? { method: "POST", body: "x".repeat(bytes) }
    : undefined;

export const absent = (variable: string): SampleConstraints => (variable === "https" ? { tls: null } : {});

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;

/** Escapes all but unreserved characters, for a value of a query. */
const inQuery = (text: string) => text.replace(/[^A-Za-z0-9\-._~]/g, percentEncode);
/** Escapes characters that are not allowed in a query, and keeps its separators. */
const inWholeQuery = (text: string) => text.replace(/[^!$&-;=?@-Z_a-z~%]/g, percentEncode);
/** Escapes characters that are not allowed in a path. */
const inPath = (text: string) => text.replace(/[^!$&-;=@-Z_a-z~%]/g, percentEncode);
/** Reports whether a value is allowed in a header line. */
const isFieldValue = (text: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.trim() === text;

const BODY = "hello from upstream";

function pathOf({ path = "/", pattern, parts = {} }: SampleConstraints): string {
  if (pattern === undefined || Object.keys(parts).length === 0) return path;
  return filledPath(pattern, ({ name = "" }) => (Object.hasOwn(parts, name) ? String(parts[name]) : "x"));
}

/** Wildcard of a path pattern: one segment, or any number of them. */
interface Wildcard {
  kind: "segment" | "rest";
  /** Undefined for a plain `*`. */
  name?: string;
}
const WILDCARD = /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|\*/g;

export const filledPath = (pattern: string, fill: (wildcard: Wildcard) => string): string =>
  textOf(
    pattern.replace(WILDCARD, (_, segment?: string, rest?: string) =>
      fill(segment === undefined ? { kind: "rest", name: rest } : { kind: "segment", name: segment }),
    ),
  );

const textOf = (pattern: string): string => pattern.replaceAll("%2A", "*").replaceAll("%3A", ":");

/** Other properties are those of a plain browser and a plain upstream. */
export function buildSample(facts: SampleConstraints): SampleRequest {
  const { method = "GET", host = ANY_HOST, client = ANY_CLIENT, body = "" } = facts;
  const query = [
    ...(facts.query ? [inWholeQuery(facts.query)] : []),
    ...Object.entries(facts.args ?? {}).map(([name, value]) => `${inQuery(name)}=${inQuery(value)}`),
  ];
  const cookies = Object.entries(facts.cookies ?? {}).map(([name, value]) => `${name}=${value}`);
  const headers = Object.entries(facts.headers ?? {}).filter(([, value]) => isFieldValue(value));
  return {
    method,
    host,
    target: `${inPath(pathOf(facts))}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: [...headers, ...(cookies.length === 0 ? [] : [["cookie", cookies.join("; ")] as const])],
    body,
    client,
    ...(facts.clientPort !== undefined && { clientPort: facts.clientPort }),
    ...(facts.http === "1.0" && { http: facts.http }),
    ...(facts.tls && { tls: connectionOf(facts.tls) }),
    ...(facts.serverAddress !== undefined && { serverAddress: facts.serverAddress }),
    ...(facts.port !== undefined && { port: facts.port }),
    ...(facts.chance !== undefined && { chance: facts.chance }),
    upstream: {
      status: facts.status ?? 200,
      headers: [
        ["Content-Type", "text/plain"],
        ...Object.entries(facts.answerHeaders ?? {}).filter(([, value]) => isFieldValue(value)),
      ],
      body: facts.answerBody ?? BODY,
    },
  };
}

/** Variables of a connection without `$ssl_`. */
type Connection = Readonly<Record<string, string>>;

const SECURE: Readonly<Record<string, string>> = { scheme: "https", https: "on" };

/** @returns null for a connection without TLS; undefined if none gives the variable this value */
function assignedTls(variable: string, value: string): Connection | null | undefined {
  if (variable === "scheme" && value === "http") return null;
  if (SECURE[variable] === value) return {};
  const [, name] = /^ssl_(.+)$/.exec(variable) ?? [];
  return name === undefined ? undefined : { [name]: value };
}

/** Adds the verification result that a client certificate implies, unless it is given. */
function connectionOf(known: Connection): Connection {
  const hasCertificate = Object.keys(known).some((name) => name.startsWith("client_"));
  return hasCertificate ? { client_verify: "SUCCESS", ...known } : known;
}
