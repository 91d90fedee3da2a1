import type { LoggerPlan } from "../../compiler/log/plan.js";
import { valuesOf, without } from "./message.js";
import type { RecordedBody } from "./recorded-body.js";
import { redactedFields, redactedQuery } from "./redaction.js";
import type { State } from "./state.js";

/**
 * The text of the request (spec "request line, headers, blank line, body"), fields as received but for those of the
 * connection; the body, as it came, only when the logger includes it.
 */
export function originalRequest(
  { request, received, path: matched }: State,
  plan: LoggerPlan,
  body: RecordedBody | undefined,
): string {
  const [path = "", ...rest] = request.target.split("?");
  const target = rest.length === 0 ? path : `${path}?${redactedQuery(rest.join("?"), matched, plan)}`;
  const named = (name: string) =>
    valuesOf(request.headers, name).map((value): [string, string] => [name, value]);
  const fields = [...named("Host"), ...without(received, "host"), ...named("Content-Length")];
  const lines = redactedFields(fields, plan).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${target} HTTP/1.${request.minor}\r\n${lines.join("")}\r\n${body?.bytes ?? ""}`;
}
