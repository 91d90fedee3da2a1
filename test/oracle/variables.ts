import { type Fields, fieldOf, isNeverJoined, valuesOf } from "./message.js";
import { cookie, parameter } from "./query.js";
import type { State } from "./state.js";

export type Value = string | number | undefined;

const field = (name: string) => name.toLowerCase().replaceAll("_", "-");

const GROUPS: readonly [prefix: string, read: (state: State, rest: string) => Value][] = [
  ["arg_", (s, rest) => parameter(s.query, rest)],
  [
    "upstream_http_",
    (s, rest) => s.response?.upstreamHeaders && fieldOf(s.response.upstreamHeaders, field(rest)),
  ],
  ["sent_http_", (s, rest) => s.response && fieldOf(s.response.headers, field(rest))],
  ["http_", (s, rest) => fieldOf(s.received, field(rest))],
  ["cookie_", (s, rest) => cookie(valuesOf(s.received, "cookie"), rest)],
  ["uri_param_", (s, rest) => (Object.hasOwn(s.parameters, rest) ? s.parameters[rest] : undefined)],
];

const PLAIN: Readonly<Record<string, (state: State) => Value>> = {
  request_method: (s) => s.request.method,
  method: (s) => s.request.method,
  uri: (s) => s.path,
  request_uri: (s) => s.request.target,
  real_request_uri: (s) => s.request.target,
  args: (s) => s.query,
  query_string: (s) => s.query,
  is_args: (s) => (s.query === "" ? undefined : "?"),
  host: (s) => s.host,
  hostname: (s) => s.host,
  scheme: (s) => (s.request.secure ? "https" : "http"),
  https: (s) => (s.request.secure ? "on" : undefined),
  server_protocol: (s) => `HTTP/1.${s.request.minor}`,
  request: (s) => requestLine(s),
  request_line: (s) => requestLine(s),
  content_type: (s) => fieldOf(s.received, "content-type"),
  content_length: (s) => fieldOf(s.request.headers, "content-length"),
  request_length: (s) => requestLength(s),
  remote_addr: (s) => s.request.clientAddress,
  realip_remote_addr: (s) => s.request.peerAddress,
  remote_port: (s) => s.request.clientPort,
  server_addr: (s) => s.request.serverAddress,
  server_port: (s) => s.request.serverPort,
  route_id: (s) => s.route?.id,
  route_name: (s) => s.route?.name,
  service_id: (s) => s.route?.serviceId,
  service_name: (s) => s.route?.serviceName,
  consumer_name: (s) => s.consumer,
  consumer_group_id: () => undefined,
  remote_user: (s) => basicUser(fieldOf(s.received, "authorization") ?? ""),
  server_name: () => "_",
  ssl_protocol: (s) => (s.request.secure ? "TLSv1.3" : undefined),
  upstream_scheme: () => "http",
  upstream_host: (s) => (s.response?.upstreamHeaders ? s.forwarded.host : undefined),
  upstream_uri: (s) => (s.response?.upstreamHeaders ? s.forwarded.target : undefined),
  status: (s) => s.response?.status,
  upstream_addr: (s) => s.upstreamAddress,
  request_body: (s) => s.bodies.request,
  resp_body: (s) => s.bodies.response,
  upstream_status: (s) => s.response?.upstreamStatus,
};

function basicUser(credentials: string): string | undefined {
  if (!/^basic /i.test(credentials)) return undefined;
  const pair = Buffer.from(credentials.slice(6).trim(), "base64").toString("latin1");
  return pair.includes(":") ? pair.slice(0, pair.indexOf(":")) : undefined;
}

/** As it was announced, which is all of it where it is not chunked. */
function requestLength(state: State): number {
  const { headers, body } = state.request;
  const fields = headers.reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
  return requestLine(state).length + fields + "\r\n\r\n".length + body.length;
}

const requestLine = ({ request }: State) => `${request.method} ${request.target} HTTP/1.${request.minor}`;

/**
 * Value of a variable (reference 11), without "$"; undefined when absent.
 * @throws Error for one that the oracle does not know, such as times and the request id
 */
export function variable(name: string, state: State): Value {
  const plain = PLAIN[name];
  if (plain) return plain(state);
  const group = GROUPS.find(([prefix]) => name.startsWith(prefix));
  if (!group) throw new Error(`the oracle does not know $${name}`);
  return group[1](state, name.slice(group[0].length));
}

const FIELD_GROUPS: readonly [prefix: string, fields: (state: State) => Fields][] = [
  ["http_", (s) => s.received],
  ["sent_http_", (s) => s.response?.headers ?? []],
  ["upstream_http_", (s) => s.response?.upstreamHeaders ?? []],
];

/** Lines of a field that are never joined; undefined for any other variable. */
export function linesOfVariable(name: string, state: State): string[] | undefined {
  const group = FIELD_GROUPS.find(([prefix]) => name.startsWith(prefix));
  const named = group && field(name.slice(group[0].length));
  return named !== undefined && isNeverJoined(named) ? valuesOf(group?.[1](state) ?? [], named) : undefined;
}
