import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { JsonObject } from "../model/record-plan.js";
import type { LoggerSettings } from "./schema.gen.js";

/** Settings that `planLogger` reads, with a value in the schema's defaults. */
const NEEDED = [
  "name",
  "include_req_body",
  "max_req_body_bytes",
  "include_resp_body",
  "max_resp_body_bytes",
  "batch_max_size",
  "inactive_timeout",
  "buffer_duration",
  "max_retry_count",
  "retry_delay",
  "max_pending_bytes",
  "delivery",
  "ack",
  "spool",
  "redact",
] as const satisfies readonly (keyof LoggerSettings)[];

/** @throws Error if the schema of a logger lacks a setting */
export function requireSettings(settings: LoggerSettings): void {
  const lacking = NEEDED.find((field) => settings[field] === undefined);
  if (lacking !== undefined) throw new Error(`schema.json lacks "${lacking}", which planLogger needs`);
}

/** Maximum records in memory unless plugin_metadata sets it: the default of `schema/parts/batch.json`. */
const PENDING_ENTRIES = 8192;

/** `BatchSettings` of the runtime (reference section 7). */
export function batchSettings(settings: LoggerSettings): JsonObject {
  return {
    name: settings.name,
    batchMaxSize: settings.batch_max_size,
    inactiveTimeout: settings.inactive_timeout,
    bufferDuration: settings.buffer_duration,
    maxRetryCount: settings.max_retry_count,
    retryDelay: settings.retry_delay,
    maxPendingEntries: PENDING_ENTRIES,
    maxPendingBytes: settings.max_pending_bytes,
  };
}

/** Includes the bounds of the spool, if there is one. */
export function deliverySettings({ delivery, ack, spool }: LoggerSettings): JsonObject {
  if (delivery === "memory") return { delivery, ack: "log" };
  return { delivery, ack, spool: { maxBytes: spool.max_bytes, onFull: spool.on_full } };
}

/** Settings for bodies in records, and for masked headers and queries. */
export function recordSettings(settings: LoggerSettings): JsonObject {
  const { redact, delivery } = settings;
  return {
    ...(settings.include_req_body && { requestBody: { maxBytes: settings.max_req_body_bytes } }),
    ...(settings.include_resp_body && { responseBody: { maxBytes: settings.max_resp_body_bytes } }),
    redact: {
      ...(!redact.credentials && { credentials: false }),
      headers: redact.headers.map((name) => name.toLowerCase()),
      query: redact.query.map((name) => utf8(name).toLowerCase()),
    },
    recordId: settings.record_id ?? delivery === "durable",
  };
}
