import { isIP } from "node:net";
import type { SampleRequest } from "./sample-request.js";
import { assignedTls, connectionOf } from "./tls-constraints.js";

/** What a probe must have, as far as it is decided. */
export interface SampleConstraints {
  method?: string;
  host?: string;
  path?: string;
  /** Path pattern that `path` fits; undefined: a condition asks for the whole path. */
  pattern?: string | undefined;
  /** Named parts of the path. */
  parts?: Readonly<Record<string, string>>;
  client?: string;
  clientPort?: number;
  http?: "1.0" | "1.1";
  /** Its TLS connection by the names of the variables without `$ssl_`; null: it comes without TLS. */
  tls?: Readonly<Record<string, string>> | null;
  /** Address and port that it comes in at. */
  serverAddress?: string;
  port?: number;
  /** Each number from 0 to 1 that chance gives. */
  chance?: number;
  body?: string;
  /** As it stands behind the question mark; before what `args` asks for. */
  query?: string;
  args?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  cookies?: Readonly<Record<string, string>>;
  /** Of the upstream's answer. */
  status?: number;
  answerHeaders?: Readonly<Record<string, string>>;
  answerBody?: string;
}

/** Documentation addresses and names (RFC 5737, RFC 2606): no configuration means them. */
export const ANY_CLIENT = "192.0.2.1";
export const ANY_HOST = "host.example";

/** Both; where they differ, the second. */
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
/** Fields that a variable of another name has its value from. */
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
/** Bytes of a body that an example may need. */
const MAX_BODY = 65_536;

/** What gives a variable this value; undefined where a request cannot decide it. */
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

/** The line as far as a text has it. */
function assignedLine(value: string): SampleConstraints | undefined {
  const [, method, target = "", minor] = /^([A-Z]+)(?: ([^ ]+)(?: HTTP\/1.([01]))?)? ?$/s.exec(value) ?? [];
  const whole = method === undefined ? undefined : assignedTarget(target);
  return whole && { ...whole, method, ...(minor !== undefined && { http: minor === "0" ? "1.0" : "1.1" }) };
}

/** One end of the connection, or the protocol that it speaks. */
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

/** A status, or one that begins like the text that a pattern matches: "5" has 500, and so has "5aa", as the dots of `^5..` are read. */
function assignedStatus(text: string): SampleConstraints | undefined {
  const status = text.replace(/\D/g, "0").padEnd(3, "0");
  return /^[2-5]\d\d$/.test(status) ? { status: Number(status) } : undefined;
}

/**
 * An address, or one with the text that a pattern matches at its beginning or end: "10." has 10.0.0.1, "2001:db8:" has 2001:db8::1, and
 * "192a168a", as the dots of `^192.168.` are read, has 192.168.0.1.
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

/** A path, a query, or both; a pattern may match one of them alone. */
function assignedTarget(value: string): SampleConstraints | undefined {
  const [, path = "", query] = /^([^?]*)(?:\?(.*))?$/s.exec(value) ?? [];
  if (path !== "" && !path.startsWith("/")) return undefined;
  return { ...(path !== "" && { path }), ...(query !== undefined && { query }) };
}

/** A body of this length; `$request_length` counts the head as well, so that it is longer. */
const assignedLength = (bytes: number): SampleConstraints | undefined =>
  Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BODY
    ? { method: "POST", body: "x".repeat(bytes) }
    : undefined;

/** Constraints that leave a variable without a value. */
export const absent = (variable: string): SampleConstraints => (variable === "https" ? { tls: null } : {});

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;

/** Escapes all but unreserved characters, for a value of a query. */
const inQuery = (text: string) =>
  text.replace(
    /[^A-Za-z0-9\-._~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
/** Escapes characters that may be in no query, and leaves those that part it. */
const inWholeQuery = (text: string) =>
  text.replace(
    /[^!$&-;=?@-Z_a-z~%]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
/** Escapes characters that may be in no path. */
const inPath = (text: string) =>
  text.replace(
    /[^!$&-;=@-Z_a-z~%]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
/** A value as a header line can have it. */
const isFieldValue = (text: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.trim() === text;

const BODY = "hello from upstream";

/** The path, with the named parts that conditions ask for. */
function pathOf({ path = "/", pattern, parts = {} }: SampleConstraints): string {
  if (pattern === undefined || Object.keys(parts).length === 0) return path;
  return filledPath(pattern, ({ name = "" }) => (Object.hasOwn(parts, name) ? String(parts[name]) : "x"));
}

/** A wildcard of a path pattern: a segment, or a rest of any number of them. */
interface Wildcard {
  kind: "segment" | "rest";
  /** Undefined for a `*` alone. */
  name?: string;
}
const WILDCARD = /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|\*/g;

/** A path that a pattern fits, with a text in place of each wildcard. */
export const filledPath = (pattern: string, fill: (wildcard: Wildcard) => string): string =>
  textOf(
    pattern.replace(WILDCARD, (_, segment?: string, rest?: string) =>
      fill(segment === undefined ? { kind: "rest", name: rest } : { kind: "segment", name: segment }),
    ),
  );

/** Text that a pattern without wildcards stands for. */
const textOf = (pattern: string): string => pattern.replaceAll("%2A", "*").replaceAll("%3A", ":");

/** The probe of some facts; the rest is what a plain browser sends and a plain upstream answers. */
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
