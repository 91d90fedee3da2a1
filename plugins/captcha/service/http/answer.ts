import type { CaptchaResponse } from "../contract.js";
import { API, type ApiError } from "../protocol.js";

/** Of every answer for one client alone: never kept, never read as something else, and no origin may read it (no CORS field). */
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

/** `/<site_key>/verify` or `/feedback`, or something that tried to be. */
const isForBackends = (path: string): boolean => /\/(?:verify|feedback)\/?$/.test(path);

/**
 * An answer of the server itself, in the shape that the path's clients read: backends look for `success`, frames for `error` of
 * the closed list. Nothing of the request is repeated.
 */
export function failure(path: string, status: 404 | 413 | 414 | 500 | 503): CaptchaResponse {
  const fields = status === 503 ? RETRY_SOON : undefined;
  if (isForBackends(path)) {
    // Class 3 of the spec's handling: with a 5xx nothing is known about the token.
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

/** Faults of the store are short. */
const RETRY_SOON = { "Retry-After": "1" };

const REASONS = {
  404: "not_found",
  413: "body_too_long",
  414: "url_too_long",
  500: "internal_error",
  503: "unavailable",
} as const;

/** For what never became a request, so that its path is not known: one body that both kinds of clients can read. */
export const UNREADABLE = `{"success":false,"error":"invalid_request","retryable":false}`;
