import { hostname } from "node:os";
import { type Exchange, recordText, VERSION } from "../../../../runtime/abi/plugin-api.js";
import type { LogEntry } from "../../../../runtime/logging/index.js";
import { quotation, type Verdict } from "../verdict.js";
import type { BodyFormat } from "./format.js";

/**
 * OTLP/HTTP with JSON (opentelemetry.io/docs/specs/otlp, logs/v1/logs.proto): names in lowerCamelCase, 64-bit
 * numbers as strings. An entry's payload is its LogRecord.
 */
const ANSWER_BYTES = 65_536;

function severityOf(status: number): [severityNumber: number, severityText: string] {
  if (status >= 500) return [17, "ERROR"];
  return status >= 400 ? [13, "WARN"] : [9, "INFO"];
}

const text = (key: string, value: string | undefined) =>
  value === undefined ? [] : [{ key, value: { stringValue: value } }];

/** Attributes follow the semantic conventions. The blank distinguishes the entry from a record. */
export function otlpEntry(x: Exchange, record: string, now: number): LogEntry {
  const { status } = x.response;
  const [severityNumber, severityText] = severityOf(status);
  const time = `${now}000000`;
  const made = recordText({
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber,
    severityText,
    body: { stringValue: record },
    attributes: [
      ...text("http.request.method", x.method),
      ...text("url.path", x.uri),
      { key: "http.response.status_code", value: { intValue: String(status) } },
      ...text("gwc.route.id", x.routeId),
    ],
  });
  return { payload: `{ ${made.slice(1)}` };
}

/** @param resource attributes that identify the sender */
export function otlp(resource: Readonly<Record<string, string>>): BodyFormat {
  const attributes = Object.entries({ "host.name": hostname(), ...resource }).flatMap(([key, value]) =>
    text(key, Buffer.from(value, "utf8").toString("latin1")),
  );
  const head =
    `{"resourceLogs":[{"resource":${JSON.stringify({ attributes })},` +
    `"scopeLogs":[{"scope":${JSON.stringify({ name: "gwc", version: VERSION })},"logRecords":[`;
  return {
    contentType: "application/json",
    path: "/v1/logs",
    answerBytes: ANSWER_BYTES,
    body: (entries) => `${head}${entries.map(({ payload }) => payload).join(",")}]}]}]}`,
    verdict: (answer, entries, byStatus, clean) =>
      byStatus.kind === "taken" ? ofPartialSuccess(answer.text, entries.length, clean) : byStatus,
  };
}

/** The server reports the number of rejected records, not which: the last ones count as rejected. */
function ofPartialSuccess(answer: string, count: number, clean: (text: string) => string): Verdict {
  const { rejectedLogRecords, errorMessage } = partialSuccess(answer);
  const rejected = Math.min(count, Math.max(0, Math.trunc(Number(rejectedLogRecords ?? 0)) || 0));
  if (rejected === 0) return { kind: "taken" };
  const refused = Array.from({ length: rejected }, (_, i) => count - rejected + i);
  const why = typeof errorMessage === "string" ? quotation(errorMessage, clean) : "";
  return { kind: "taken", refused, because: `partial success${why}` };
}

/** Any other text adds nothing to the status, which was a success. */
function partialSuccess(answer: string): { rejectedLogRecords?: unknown; errorMessage?: unknown } {
  try {
    const { partialSuccess = {} } = (JSON.parse(answer) ?? {}) as { partialSuccess?: object | null };
    return partialSuccess ?? {};
  } catch {
    return {};
  }
}
