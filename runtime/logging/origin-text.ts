import type { Exchange } from "../abi/exchange.js";
import { type RedactedNames, redactedTarget, redactedValue } from "./redaction.js";

/**
 * Returns the original request as text (spec: "request line, headers, blank line, body"), a byte string:
 * headers as received, before any plugin. The body, if included, is in its coding, without chunked framing.
 */
export function originText(x: Exchange, redact: RedactedNames, body: string | undefined): string {
  let text = `${x.method} ${redactedTarget(x.requestUri, redact.query(x.uri))} ${x.serverProtocol}\r\n`;
  const line = (name: string, value: string) => {
    text += `${name}: ${redactedValue(name.toLowerCase(), value, redact)}\r\n`;
  };
  const host = x.request.headers.get("host");
  if (host !== undefined) line("Host", host);
  x.request.headers.forEach(line);
  const length = x.variable("content_length");
  if (length !== undefined) line("Content-Length", String(length));
  return `${text}\r\n${body ?? ""}`;
}
