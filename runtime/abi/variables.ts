/**
 * The variables of expressions, header values, log formats and hash keys: data for the compiler (which variable
 * exists, when, of which type, and the TypeScript that reads it) and the reference for `Exchange.variable`.
 */

/** From when on a variable has its value. */
export type Availability = "request" | "upstream" | "response" | "log";

export interface Variable {
  /** Name without "$"; for a prefixed group the prefix including its last "_" or ".". */
  name: string;
  /** A group such as `arg_x`: the rest of the name is the parameter. */
  prefixed: boolean;
  type: "text" | "number";
  /** May be absent (`undefined`). */
  optional: boolean;
  from: Availability;
  /** TypeScript that reads it from `x`; `%` in a prefixed group stands for the printed parameter. */
  code: string;
  description: string;
}

type Options = Partial<Pick<Variable, "optional" | "from" | "type">>;

function plain(name: string, code: string, description: string, options: Options = {}): Variable {
  return {
    name,
    prefixed: false,
    type: "text",
    optional: false,
    from: "request",
    code,
    description,
    ...options,
  };
}

/** Read through the exchange by name: rarely used, so generated code needs no member of its own for it. */
function named(name: string, description: string, options: Options = {}): Variable {
  return plain(name, `x.variable("${name}")`, description, { optional: true, ...options });
}

function group(name: string, code: string, description: string, options: Options = {}): Variable {
  const shared = { prefixed: true, type: "text", optional: true, from: "request" } as const;
  return { name, code, description, ...shared, ...options };
}

const UPSTREAM = { from: "response" } as const;
const AT_END = { from: "log" } as const;

/** Every variable (reference section 11). */
export const VARIABLES: readonly Variable[] = [
  plain("request_method", "x.method", "Method of the request as received."),
  plain("method", "x.method", "The same as request_method."),
  plain("uri", "x.uri", "Path that routes are matched on: decoded, dot-resolved, without query."),
  plain("request_uri", "x.requestUri", "Target of the request as received, with its query."),
  plain("real_request_uri", "x.requestUri", "The same as request_uri."),
  plain("args", "x.args", "Query as received, without the question mark."),
  plain("query_string", "x.args", "The same as args."),
  named("is_args", '"?" when the request has a query.'),
  plain("host", "x.host", "Host of the request without port, in lower case."),
  plain("hostname", "x.host", "The same as host."),
  plain("scheme", "x.scheme", '"http" or "https".'),
  named("https", '"on" for a request over TLS.'),
  plain("server_protocol", "x.serverProtocol", '"HTTP/1.1" or "HTTP/1.0".'),
  named("request", "Request line as received."),
  named("request_line", "The same as request."),
  named("request_length", "Bytes of the request: line, headers and body.", { type: "number", ...AT_END }),
  plain("content_type", 'x.request.headers.get("content-type")', "Content-Type of the request.", {
    optional: true,
  }),
  named("content_length", "Content-Length of the request, as text."),
  plain("request_id", "x.requestId", "32 hexadecimal digits, made for this request."),
  plain("remote_addr", "x.remoteAddr", "Address of the client."),
  plain("remote_port", "x.remotePort", "Port of the client.", { type: "number" }),
  named("realip_remote_addr", "Address of the peer, before trusted-proxy rules."),
  plain("server_addr", "x.serverAddr", "Address that accepted the connection."),
  plain("server_port", "x.serverPort", "Port that accepted the connection.", { type: "number" }),
  plain("route_id", "x.routeId", "Id of the matched route.", { optional: true }),
  plain("route_name", "x.routeName", "Name of the matched route.", { optional: true }),
  plain("service_id", "x.serviceId", "Id of the matched route's service.", { optional: true }),
  plain("service_name", "x.serviceName", "Name of the matched route's service.", { optional: true }),
  plain("consumer_name", "x.consumerName", "Name of the consumer, once authenticated.", { optional: true }),
  named("pid", "Process id of the worker.", { type: "number" }),
  named("msec", "Time in seconds with milliseconds.", { type: "number" }),
  named("time_iso8601", "Time as 2020-09-23T19:05:05-04:00."),
  named("time_local", "Time as 23/Sep/2020:19:05:05 -0400."),
  named("request_time", "Seconds since the first byte of the request.", { type: "number", ...UPSTREAM }),
  plain("status", "x.response.status", "Status of the response.", { type: "number", ...UPSTREAM }),
  named("upstream_addr", "Addresses of the nodes that were tried.", UPSTREAM),
  named("upstream_status", 'Statuses of the nodes that were tried, as text: "502, 200".', UPSTREAM),
  named("upstream_response_time", "Seconds that the upstream took, as text.", AT_END),
  named("balancer_ip", "Address of the node that answered.", UPSTREAM),
  named("balancer_port", "Port of the node that answered, as text.", UPSTREAM),
  named("bytes_sent", "Bytes sent to the client.", { type: "number", ...AT_END }),
  named("body_bytes_sent", "Bytes of the body sent to the client.", { type: "number", ...AT_END }),
  group("arg_", "x.arg(%)", "First value of a query parameter, decoded."),
  group("http_", "x.request.headers.get(%)", "Header of the request; lower case, - written as _."),
  group("cookie_", "x.cookie(%)", "Cookie of the request."),
  group("uri_param_", "x.uriParam(%)", "Part of the path that :name or *name matched."),
  group("sent_http_", "x.response.headers.get(%)", "Header of the response to the client.", UPSTREAM),
  group("upstream_http_", "x.response.received(%)", "Header of the upstream's response.", UPSTREAM),
];
