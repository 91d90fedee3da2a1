import { type Fields, fieldOf } from "./message.js";
import { decoded } from "./query.js";
import type { RecordedBody } from "./recorded-body.js";
import { mustRedact, type RedactionRules, redactedFields, redactedQuery } from "./redaction.js";
import type { Recorded, State } from "./state.js";

interface Bodies {
  request: RecordedBody | undefined;
  response: RecordedBody | undefined;
}

/**
 * The record of the specification ("Default log record"), reference section 10.1. What only a clock, a machine or the wire
 * can know stands there as any value of its type.
 */
export function defaultRecord(state: State, hidden: RedactionRules, bodies: Bodies): Recorded {
  const { request, route, response } = state;
  const isProxied = state.upstreamAddress !== undefined;
  return {
    start_time: 1,
    latency: 0,
    gw_latency: 0,
    upstream_latency: isProxied ? 0 : undefined,
    server: { hostname: "", version: "" },
    upstream: state.upstreamAddress,
    client_ip: request.clientAddress,
    service_id: route === undefined ? state.host : (route.serviceId ?? ""),
    route_id: route?.id,
    consumer: state.consumer === undefined ? undefined : { username: state.consumer },
    request: { ...requestPart(state, hidden), ...bodyFields(bodies.request) },
    response: {
      status: response?.status,
      size: 1,
      headers: headerObject(redactedFields(response?.headers ?? [], hidden)),
      ...bodyFields(bodies.response),
    },
  };
}

function requestPart(state: State, hidden: RedactionRules): Recorded {
  const query = redactedQuery(state.query, hidden);
  const mark = state.query === "" ? "" : `?${query}`;
  const host = fieldOf(state.request.headers, "host") === undefined ? "" : state.host;
  return {
    method: state.forwarded.method,
    size: 1,
    uri: `${state.path}${mark}`,
    url: `http${state.request.secure ? "s" : ""}://${host}:${state.request.serverPort}${state.path}${mark}`,
    headers: headerObject(redactedFields(state.loggedFields, hidden)),
    querystring: queryObject(state.query, hidden),
  };
}

function bodyFields(body: RecordedBody | undefined): Recorded {
  if (body === undefined) return {};
  return {
    body: body.text,
    ...(body.base64 && { body_encoding: "base64" }),
    ...(body.truncated && { body_truncated: true, body_size: body.size }),
  };
}

/** Names in lower case; a repeated field is a list. */
function headerObject(fields: Fields): Recorded {
  const all = new Map<string, string[]>();
  for (const [name, value] of fields)
    all.set(name.toLowerCase(), [...(all.get(name.toLowerCase()) ?? []), value]);
  return Object.fromEntries(
    [...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/** Decoded; a repeated parameter is a list, one without a value is true. */
function queryObject(query: string, hidden: RedactionRules): Recorded {
  const all = new Map<string, unknown[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decoded(at < 0 ? pair : pair.slice(0, at), true);
    const masked = mustRedact(name.toLowerCase(), hidden);
    const value = at < 0 ? true : masked ? "***" : decoded(pair.slice(at + 1), true);
    all.set(name, [...(all.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
