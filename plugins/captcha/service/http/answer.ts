import type { CaptchaResponse } from "../contract.js";
import { API, type ApiError } from "../protocol.js";

/** Headers of every response for one client: not cacheable, no other content type, and no CORS. */
const PRIVATE_JSON: Readonly<Record<string, string>> = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export function json(
  status: number,
  body: object,
  fields?: Readonly<Record<string, string>>,
): CaptchaResponse {
  const headers = fields === undefined ? PRIVATE_JSON : { ...PRIVATE_JSON, ...fields };
  return { status, headers, body: JSON.stringify(body) };
}

/** Reports whether a path is meant as `/<site_key>/verify` or `/feedback`. */
const isForBackends = (path: string): boolean => /\/(?:verify|feedback)\/?$/.test(path);

/**
 * A response of the server itself in the format of the path's clients: backends read `success`, frames
 * `error` of the closed list. It repeats nothing of the request.
 */
export function failure(path: string, status: 404 | 413 | 414 | 500 | 503): CaptchaResponse {
  const fields = status === 503 ? RETRY_SOON : undefined;
  if (isForBackends(path)) {
    // Class 3 of the spec's handling: after a 5xx the token's state is unknown.
    const error = status >= 500 ? "storage_error" : "missing_required_params";
    return json(status, { success: false, error, reason: REASONS[status] }, fields);
  }
  const error: ApiError =
    status >= 500
      ? { error: status === 503 ? "service_unavailable" : "internal_error", retryable: true }
      : { error: "invalid_request", retryable: false };
  return path.startsWith(`${API}/`)
    ? json(status, error, fields)
    : json(status, { error: REASONS[status] }, fields);
}

/** Failures of the store are short. */
const RETRY_SOON = { "Retry-After": "1" };

const REASONS = {
  404: "not_found",
  413: "body_too_long",
  414: "url_too_long",
  500: "internal_error",
  503: "unavailable",
} as const;

/** Response to bytes that are no request, so that the path is unknown: one body for both kinds of clients. */
export const UNREADABLE = `{"success":false,"error":"invalid_request","retryable":false}`;
