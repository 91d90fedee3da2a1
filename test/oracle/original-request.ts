import { valuesOf, without } from "./message.js";
import type { RecordedBody } from "./recorded-body.js";
import { type RedactionRules, redactedFields, redactedTarget } from "./redaction.js";
import type { State } from "./state.js";

/**
 * The text of the request (spec "request line, headers, blank line, body"), fields as received but for those of the
 * connection; the body, as it came, only when the logger includes it.
 */
export function originalRequest(
  { request, received }: State,
  hidden: RedactionRules,
  body: RecordedBody | undefined,
): string {
  const target = redactedTarget(request.target, hidden);
  const named = (name: string) =>
    valuesOf(request.headers, name).map((value): [string, string] => [name, value]);
  const fields = [...named("Host"), ...without(received, "host"), ...named("Content-Length")];
  const lines = redactedFields(fields, hidden).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${target} HTTP/1.${request.minor}\r\n${lines.join("")}\r\n${body?.bytes ?? ""}`;
}
