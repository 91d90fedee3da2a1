import { textPieces } from "./text/references.js";
import { VARIABLES, type Variable } from "./variables.js";

export type FormatPart = { literal: string } | VariablePart;

/** A variable, and the text that replaces an absent value. */
export type VariablePart = {
  variable: Variable;
  parameter: string | undefined;
  fallback?: string | undefined;
};

/** Keeps a value in its place: nginx's `escape=default` and `escape=json`. */
export type Escape = "default" | "json";

export const ACCESS_FORMATS: Readonly<Record<string, { pattern: string; escape: Escape }>> = {
  combined: {
    pattern:
      '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
    escape: "default",
  },
  json: {
    pattern:
      '{"time":"$time_iso8601","request_id":"$request_id","remote_addr":"$remote_addr","route_id":"$route_id",' +
      '"consumer_name":"$consumer_name","method":"$request_method","scheme":"$scheme","host":"$host","request_uri":"$request_uri",' +
      '"server_protocol":"$server_protocol","status":$status,"request_length":$request_length,"bytes_sent":$bytes_sent,' +
      '"body_bytes_sent":$body_bytes_sent,"request_time":$request_time,"upstream_addr":"$upstream_addr",' +
      '"upstream_status":"$upstream_status","upstream_response_time":"$upstream_response_time",' +
      '"http_referer":"$http_referer","http_user_agent":"$http_user_agent"}',
    escape: "json",
  },
};

const PLAIN = new Map(VARIABLES.filter(({ prefixed }) => !prefixed).map((known) => [known.name, known]));
const GROUPS = VARIABLES.filter(({ prefixed }) => prefixed);
const FIELDS = new Set(["http_", "sent_http_", "upstream_http_"]);

/** Splits as `textPieces` does. @param unknown called with names that are no variable, or have no value in a line */
export function formatParts(pattern: string, unknown: (name: string) => void): FormatPart[] {
  return textPieces(pattern).flatMap((piece): FormatPart[] => {
    if ("literal" in piece) return [piece];
    const part = variablePart(piece.name);
    if (part !== undefined) return [{ ...part, fallback: piece.fallback }];
    unknown(piece.name);
    return [];
  });
}

/** Leaves out variables of bodies, which are only for loggers. */
function variablePart(name: string): VariablePart | undefined {
  const plain = PLAIN.get(name);
  if (plain !== undefined)
    return plain.from === "record" ? undefined : { variable: plain, parameter: undefined };
  const group = GROUPS.find((known) => name.startsWith(known.name) && name.length > known.name.length);
  if (group === undefined || group.from === "record") return undefined;
  const rest = name.slice(group.name.length);
  return {
    variable: group,
    parameter: FIELDS.has(group.name) ? rest.toLowerCase().replaceAll("_", "-") : rest,
  };
}
