/**
 * Variables of expressions, header values, log formats and hash keys, for the compiler (which one exists,
 * when, of which type, and the TypeScript that reads it) and for `Exchange.variable`.
 */

/** Phase from which a variable has its value. */
export type Availability = "request" | "upstream" | "response" | "log" | "record";

export interface Variable {
  /** Name without "$"; for a prefixed group the prefix including its last "_" or ".". */
  name: string;
  /** Set for a group such as `arg_x`: the rest of the name is the parameter. */
  prefixed: boolean;
  type: "text" | "number";
  /** Set if it may be absent (`undefined`). */
  optional: boolean;
  from: Availability;
  /** TypeScript that reads it from `x`, and in records from `shown`; `%` in a group is the printed parameter. */
  code: string;
  description: string;
  /** An empty text means that there is none: compared with null, it is absent. */
  emptyIsAbsent?: true;
  /** Body that it reads, which the logger must include (`RecordView`). */
  body?: "request" | "response";
  /** Its value changes from read to read; modules read other variables of the request once a phase. */
  passing?: true;
  /** TypeScript that reads the value of each line of a group of headers. */
  lines?: string;
  /** Method of `RecordView` through which a record reads it, because it may contain a credential. */
  masked?: "target" | "query" | "line" | "field" | "parameter";
}

type Options = Partial<Omit<Variable, "name" | "prefixed" | "code" | "description">>;

const TEXT_OF_REQUEST = { type: "text", from: "request" } as const;

function plain(name: string, code: string, description: string, options: Options = {}): Variable {
  return { name, code, description, ...TEXT_OF_REQUEST, prefixed: false, optional: false, ...options };
}

/** Rarely used, so that the exchange needs no member for it. */
function named(name: string, description: string, options: Options = {}): Variable {
  return plain(name, `x.variable("${name}")`, description, { optional: true, ...options });
}

function group(name: string, code: string, description: string, options: Options = {}): Variable {
  return { name, code, description, ...TEXT_OF_REQUEST, prefixed: true, optional: true, ...options };
}

const MAY_BE_EMPTY = { emptyIsAbsent: true } as const;
const PASSING = { passing: true } as const;
const UPSTREAM = { from: "response" } as const;
const TARGET = { masked: "target" } as const;
const AT_END = { from: "log" } as const;
const OF_REQUEST_BODY = { body: "request", from: "record", optional: true } as const;
const OF_RESPONSE_BODY = { body: "response", from: "record", optional: true } as const;

/** Variables of the TLS listener by nginx's names; absent on connections without TLS. */
const SSL = [
  "ssl_cipher",
  "ssl_client_fingerprint",
  "ssl_client_i_dn",
  "ssl_client_s_dn",
  "ssl_client_serial",
  "ssl_client_verify",
  "ssl_protocol",
  "ssl_server_name",
  "ssl_session_id",
  "ssl_session_reused",
].map((name) => named(name, `Of the client's TLS connection: nginx's ${name}.`));

/** Every variable (reference section 11). */
export const VARIABLES: readonly Variable[] = [
  plain("request_method", "x.method", "Method of the request as received."),
  plain("method", "x.method", "The same as request_method."),
  plain("uri", "x.uri", "Normalized path, without query, which is matched and sent (docs/paths.md)."),
  plain("request_uri", "x.requestUri", "Target of the request as received, with its query.", TARGET),
  plain("real_request_uri", "x.requestUri", "The same as request_uri.", TARGET),
  plain("args", "x.args", "Query as received, without the question mark.", {
    masked: "query",
    ...MAY_BE_EMPTY,
  }),
  plain("query_string", "x.args", "The same as args.", { masked: "query", ...MAY_BE_EMPTY }),
  named("is_args", '"?" when the request has a query.'),
  plain("host", "x.host", "Host of the request without port, in lower case.", MAY_BE_EMPTY),
  plain("hostname", "x.host", "The same as host.", MAY_BE_EMPTY),
  plain("scheme", "x.scheme", '"http" or "https".'),
  named("https", '"on" for a request over TLS.'),
  plain("server_protocol", "x.serverProtocol", '"HTTP/1.1" or "HTTP/1.0".'),
  named("request", "Request line as received.", { masked: "line" }),
  named("request_line", "The same as request.", { masked: "line" }),
  named(
    "request_length",
    "Bytes of the request: line, headers and body; of a chunked body, the bytes read so far.",
    { type: "number", ...PASSING },
  ),
  plain("content_type", 'x.request.headers.get("content-type")', "Content-Type of the request.", {
    optional: true,
  }),
  named("content_length", "Content-Length of the request, as text."),
  plain("request_id", "x.requestId", "32 hexadecimal digits, generated for this request."),
  named("connection", "Number of the client's connection in this process.", { type: "number" }),
  named("connection_requests", "Number of the request on its connection.", { type: "number" }),
  named("remote_user", "User name in an Authorization header of the Basic scheme."),
  plain("remote_addr", "x.remoteAddr", "Address of the client."),
  plain("remote_port", "x.remotePort", "Port of the client.", { type: "number" }),
  named("realip_remote_addr", "Address of the peer, before trusted-proxy rules."),
  plain("server_addr", "x.serverAddr", "Address that accepted the connection."),
  plain("server_port", "x.serverPort", "Port that accepted the connection.", { type: "number" }),
  plain("route_id", "x.routeId", "Id of the matched route.", { optional: true }),
  plain("route_name", "x.routeName", "Name of the matched route.", { optional: true }),
  plain("service_id", "x.serviceId", "Id of the matched route's service.", { optional: true }),
  plain("service_name", "x.serviceName", "Name of the matched route's service.", { optional: true }),
  plain(
    "consumer_name",
    "x.consumerName",
    "Name of the authenticated consumer; absent in proxy-rewrite, which runs earlier.",
    { optional: true, ...PASSING },
  ),
  named("consumer_group_id", "Always absent, because gwc has no consumer groups."),
  named("server_name", 'Name of the server: "_", because one server handles all hosts.'),
  named("nginx_version", "Version of the gateway, under the name in nginx log formats."),
  named("pid", "Process id of the worker.", { type: "number" }),
  named("msec", "Time in seconds with milliseconds.", { type: "number", ...PASSING }),
  named("time_iso8601", "Time as 2020-09-23T19:05:05-04:00.", PASSING),
  named("time_local", "Time as 23/Sep/2020:19:05:05 -0400.", PASSING),
  named("request_time", "Seconds since the first byte of the request.", {
    type: "number",
    ...UPSTREAM,
    ...PASSING,
  }),
  plain("status", "x.response.status", "Status of the response.", { type: "number", ...UPSTREAM }),
  named("upstream_addr", "Addresses of the attempted nodes.", UPSTREAM),
  named("upstream_status", 'Statuses of the attempted nodes, as text: "502, 200".', UPSTREAM),
  named(
    "upstream_connect_time",
    'Seconds until each node was connected, as text: "0.000" for a reused connection.',
    UPSTREAM,
  ),
  named("upstream_header_time", "Seconds until each node's response head, as text.", UPSTREAM),
  named("upstream_response_time", "Seconds until each node's response was complete, as text.", AT_END),
  named("upstream_response_length", "Bytes of each node's response body, as text.", AT_END),
  named("upstream_scheme", '"http" or "https": the protocol towards the upstream.', PASSING),
  named("upstream_host", "Host that was sent to the upstream.", UPSTREAM),
  named("upstream_uri", "Target that was sent to the upstream.", { ...UPSTREAM, ...TARGET }),
  named("upstream_unresolved_host", "Host of the node that responded, as configured.", UPSTREAM),
  named("balancer_ip", "Address of the node that responded.", UPSTREAM),
  named("balancer_port", "Port of the node that responded, as text.", UPSTREAM),
  plain("request_body", "shown.request", "Body of the request, if the logger includes it.", OF_REQUEST_BODY),
  plain("resp_body", "shown.response", "Body of the response, if the logger includes it.", OF_RESPONSE_BODY),
  plain(
    "graphql_name",
    'x.graphql(shown.request, "name")',
    "Name of the GraphQL operation in the request body.",
    OF_REQUEST_BODY,
  ),
  plain(
    "graphql_operation",
    'x.graphql(shown.request, "operation")',
    '"query", "mutation" or "subscription".',
    OF_REQUEST_BODY,
  ),
  plain(
    "graphql_root_fields",
    'x.graphql(shown.request, "root_fields")',
    "Root fields of the GraphQL operation, joined with a comma.",
    OF_REQUEST_BODY,
  ),
  named("bytes_sent", "Bytes sent to the client.", { type: "number", ...AT_END }),
  named("body_bytes_sent", "Bytes of the body sent to the client.", { type: "number", ...AT_END }),
  group("arg_", "x.arg(%)", "First value of a query parameter, decoded.", { masked: "parameter" }),
  group(
    "http_",
    "x.request.headers.get(%)",
    "Header of the request; lower case, - written as _. Not for headers of the connection and framing, nor for reserved ones (GW4418).",
    { lines: "x.request.headers.getAll(%)", masked: "field" },
  ),
  group("cookie_", "x.cookie(%)", "Cookie of the request."),
  group(
    "post_arg_",
    "x.formField(shown.request, %)",
    "First value of a field of a urlencoded body, decoded.",
    OF_REQUEST_BODY,
  ),
  group(
    "post_arg.",
    "x.bodyValue(shown.request, %)",
    'Value in a JSON, urlencoded or multipart body: "a.b"; or a JSONPath, which needs braces: ${post_arg.items[*].id}.',
    OF_REQUEST_BODY,
  ),
  group("uri_param_", "x.uriParam(%)", "Normalized part of the path that :name or *name matched."),
  group(
    "sent_http_",
    "x.response.headers.get(%)",
    "Header of the response to the client; not for framing headers (GW4418).",
    { ...UPSTREAM, lines: "x.response.headers.getAll(%)", masked: "field" },
  ),
  group(
    "upstream_http_",
    "x.response.received(%)",
    "Header of the upstream's response; not for framing headers and Server (GW4418).",
    { ...UPSTREAM, lines: "x.response.receivedAll(%)", masked: "field" },
  ),
  ...SSL,
];
