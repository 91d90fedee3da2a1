import { byteString } from "../plan/bytes.js";
import type { JsonObject } from "./plan.js";

/** Settings that both logging plugins have, as their schemas let them through. */
export interface CommonSettings {
  name?: string;
  log_format?: Record<string, unknown>;
  log_format_extra?: Record<string, unknown>;
  include_req_body?: boolean;
  include_req_body_expr?: unknown[];
  max_req_body_bytes?: number;
  include_resp_body?: boolean;
  include_resp_body_expr?: unknown[];
  max_resp_body_bytes?: number;
  batch_max_size?: number;
  inactive_timeout?: number;
  buffer_duration?: number;
  max_retry_count?: number;
  retry_delay?: number;
  max_pending_bytes?: number;
  delivery?: "memory" | "durable";
  ack?: "log" | "response";
  spool?: { max_bytes?: number; on_full?: "refuse" | "drop_oldest" };
  record_id?: boolean;
  redact?: { credentials?: boolean; headers?: string[]; query?: string[] };
}

/** Bytes of a body in a record, without a limit of the operator's own. */
const BODY_BYTES = 524_288;
const REDACTED_HEADERS: readonly string[] = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "apikey",
  "x-captcha-token",
];
/** "/verify?ip": `ip` on paths that end in "/verify", where the address of a visitor stands (captcha reference H33). */
const REDACTED_QUERY: readonly string[] = [
  ...["apikey", "api_key", "access_token", "token", "jwt", "captcha-token"],
  "/verify?ip",
];

/** `BatchSettings` of the runtime. Defaults: reference section 7. */
export function batchSettings(settings: CommonSettings, name: string): JsonObject {
  return {
    name: settings.name ?? name,
    batchMaxSize: settings.batch_max_size ?? 1000,
    inactiveTimeout: settings.inactive_timeout ?? 5,
    bufferDuration: settings.buffer_duration ?? 60,
    maxRetryCount: settings.max_retry_count ?? 0,
    retryDelay: settings.retry_delay ?? 1,
    maxPendingEntries: 8192,
    maxPendingBytes: settings.max_pending_bytes ?? 67_108_864,
  };
}

/** Delivery, and the bounds of the spool where there is one. */
export function deliverySettings({
  delivery = "memory",
  ack = "log",
  spool = {},
}: CommonSettings): JsonObject {
  if (delivery === "memory") return { delivery, ack: "log" };
  const bounds = { maxBytes: spool.max_bytes ?? 1_073_741_824, onFull: spool.on_full ?? "refuse" };
  return { delivery, ack, spool: bounds };
}

/** What records hold of bodies and hide of headers and queries. */
export function recordSettings(settings: CommonSettings): JsonObject {
  const { redact = {}, delivery } = settings;
  return {
    ...(settings.include_req_body === true && {
      requestBody: { maxBytes: settings.max_req_body_bytes ?? BODY_BYTES },
    }),
    ...(settings.include_resp_body === true && {
      responseBody: { maxBytes: settings.max_resp_body_bytes ?? BODY_BYTES },
    }),
    redact: {
      ...(redact.credentials === false && { credentials: false }),
      headers: (redact.headers ?? REDACTED_HEADERS).map((name) => name.toLowerCase()),
      query: (redact.query ?? REDACTED_QUERY).map((name) => byteString(name).toLowerCase()),
    },
    recordId: settings.record_id ?? delivery === "durable",
  };
}
