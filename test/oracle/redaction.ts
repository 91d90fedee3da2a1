import type { LoggerPlan } from "../../compiler/model/plan.js";
import { type Fields, valuesOf } from "./message.js";
import { decoded } from "./query.js";
import type { State } from "./state.js";

const MASK = "***";
const ADDRESSES = ["referer", "location", "content-location"];

interface Redact {
  credentials?: boolean;
  headers: string[];
  query: string[];
}

/** Which header and parameter names a logger hides in a request. */
export interface RedactionRules extends Redact {
  /** Those that carry credentials. */
  secret: { headers: readonly string[]; query: readonly string[] };
  path: string;
}

export function redactionRules(state: State, plan: LoggerPlan): RedactionRules {
  const redact = plan.settings["redact"] as unknown as Redact;
  const secret = redact.credentials === false ? { headers: [], query: [] } : state.credentials;
  return {
    secret,
    path: state.path,
    headers: [...redact.headers, ...secret.headers],
    query: [...redact.query, ...secret.query],
  };
}

/** Header lines with the values of those that are to be hidden masked. */
export function redactedFields(fields: Fields, hidden: RedactionRules): Fields {
  return fields.map(([name, value]) => [
    name,
    hidden.headers.includes(name.toLowerCase()) ? MASK : redactedInside(name, value, hidden),
  ]);
}

function redactedInside(name: string, value: string, hidden: RedactionRules): string {
  if (!ADDRESSES.includes(name.toLowerCase())) return value;
  return redactedTarget(value, { ...hidden, path: value.split("?")[0] ?? "" });
}

export function redactedTarget(target: string, hidden: RedactionRules): string {
  const [path = "", ...rest] = target.split("?");
  return rest.length === 0 ? path : `${path}?${redactedQuery(rest.join("?"), hidden)}`;
}

/** A query with the values of those parameters masked. */
export function redactedQuery(query: string, hidden: RedactionRules): string {
  return query
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      const name = decoded(pair.slice(0, Math.max(at, 0)), true).toLowerCase();
      return at >= 0 && mustRedact(name, hidden) ? `${pair.slice(0, at)}=${MASK}` : pair;
    })
    .join("&");
}

/** A name alone is hidden everywhere, "/verify?ip" only on paths that end so. `name` in lower case. */
export function mustRedact(name: string, { query, path }: RedactionRules): boolean {
  return query.some((entry) => {
    const [end = "", bound] = entry.split("?");
    return entry.startsWith("/") ? path.endsWith(end) && bound === name : entry === name;
  });
}

/** The value of a variable as a format shows it. */
export function shown<T>(name: string, value: T, hidden: RedactionRules): T | string {
  if (typeof value !== "string") return value;
  if (/^(?:real_)?request_uri$|^upstream_uri$/.test(name)) return redactedTarget(value, hidden);
  if (/^args$|^query_string$/.test(name)) return redactedQuery(value, hidden);
  if (/^request(?:_line)?$/.test(name)) {
    const [method = "", target = "", protocol = ""] = value.split(" ");
    return `${method} ${redactedTarget(target, hidden)} ${protocol}`;
  }
  const [, field] = /^(?:sent_|upstream_)?http_(.*)$/.exec(name) ?? [];
  if (field !== undefined) {
    const plain = field.toLowerCase().replaceAll("_", "-");
    return hidden.secret.headers.includes(plain) ? MASK : redactedInside(plain, value, hidden);
  }
  const [, parameter] = /^arg_(.*)$/.exec(name) ?? [];
  return parameter !== undefined && hidden.secret.query.includes(parameter.toLowerCase()) ? MASK : value;
}

/**
 * A body without credentials, in the forms that cases have: members of JSON that are texts, fields of forms, and values
 * that the request brought.
 */
export function withoutCredentials(body: string, state: State, { secret }: RedactionRules): string {
  let out = body;
  for (const name of new Set([...secret.headers, ...secret.query])) {
    const escaped = name.replace(/[^a-z0-9]/g, "\\$&");
    out = out
      .replace(new RegExp(`("${escaped}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, "gi"), `$1${MASK}`)
      .replace(new RegExp(`((?:^|[&?])${escaped}=)[^&\\s"]*`, "gi"), `$1${MASK}`)
      .replace(new RegExp(`(name="${escaped}".*?\\r\\n\\r\\n).*?(?=\\r\\n--|$)`, "gis"), `$1${MASK}`);
  }
  const presented = [
    ...secret.headers.flatMap((name) => valuesOf(state.received, name)),
    ...secret.query.flatMap((name) =>
      state.query
        .split("&")
        .flatMap((pair) => (pair.startsWith(`${name}=`) ? pair.slice(name.length + 1) : [])),
    ),
  ];
  for (const value of presented) if (value.length >= 6) out = out.replaceAll(value, MASK);
  return out;
}
