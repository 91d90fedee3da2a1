import type { LoggerPlan } from "../../compiler/log/plan.js";
import type { RecordedBody } from "./recorded-body.js";
import { redactedFields, redactedQuery } from "./redaction.js";
import type { State } from "./state.js";

/**
 * The text of the request (spec "request line, headers, blank line, body"), fields as received; the body only when the
 * logger includes it.
 */
export function originalRequest(
  { request }: State,
  plan: LoggerPlan,
  body: RecordedBody | undefined,
): string {
  const [path = "", ...rest] = request.target.split("?");
  const target = rest.length === 0 ? path : `${path}?${redactedQuery(rest.join("?"), plan)}`;
  const lines = redactedFields(request.headers, plan).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${target} HTTP/1.${request.minor}\r\n${lines.join("")}\r\n${body?.text ?? ""}`;
}
