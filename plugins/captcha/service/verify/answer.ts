import { type CaptchaResponse, StorageError } from "../contract.js";
import { json } from "../http/answer.js";
import type { Winning } from "../token/winning.js";

/** The six errors of the specification and two additions (H5). */
type VerifyError =
  | "missing_required_params"
  | "invalid_jwt"
  | "invalid_jwt_request_id"
  | "invalid_jwt_site_key"
  | "path_mismatch"
  | "storage_error"
  | "invalid_api_key"
  | "forbidden_site_key";

/** Closed list in more detail than `error` (H8), for logs and people. */
export type VerifyReason =
  | "method_not_allowed"
  | "browser_request"
  | "token_too_long"
  | "missing_api_key"
  | "malformed_api_key"
  | "unknown_api_key"
  | "expired_api_key"
  | "too_many_bad_api_keys"
  | "api_key_misplaced"
  | "missing_jwt"
  | "duplicate_param"
  | "invalid_ip"
  | "invalid_idempotency_key"
  | "invalid_details"
  | "invalid_verdict"
  | "invalid_body"
  | "malformed"
  | "unknown_key"
  | "bad_algorithm"
  | "bad_signature"
  | "bad_times"
  | "not_yet_valid"
  | "expired"
  | "not_owner"
  | "site_key_disabled"
  | "test_token"
  | "hostname_mismatch"
  | "ip_mismatch"
  | "already_used"
  | "already_reported";

export interface Rejection {
  status: 200 | 400 | 401 | 403 | 405 | 413 | 414 | 429 | 503;
  error: VerifyError;
  reason?: VerifyReason;
  /** Only these two exist (H26). */
  validation_check?: "expired" | "not_yet_valid";
}

/** Advice for the integrator; fixed texts, so that no part of the request is repeated (A29). */
const MESSAGES: Partial<Record<VerifyReason, string>> = {
  browser_request: "This endpoint is for the server of a site. Do not call it from a page.",
  api_key_misplaced:
    "Send the API key in the header X-Api-Key only. A key that was in a URL is in logs by now: replace it.",
  test_token: "Test site keys and the test API key work only with each other.",
  not_owner: "The API key belongs to another customer than the site key.",
  duplicate_param: "Send each parameter once, as a single text.",
  invalid_details: 'The parameter details is "true" or "false".',
  invalid_verdict: 'The parameter verdict is "fraud" or "good".',
  invalid_ip: "The parameter ip is one IPv4 or IPv6 address without port, zone or leading zeros.",
};

/** Rejection for an error of the store; throws other errors. */
export function storageFault(error: unknown): Rejection {
  if (error instanceof StorageError) return { status: 503, error: "storage_error" };
  throw error;
}

/** Seconds; failures of the store are short. */
const RETRY_AFTER: Partial<Record<Rejection["status"], string>> = { 429: "60", 503: "1" };

/** A 401 must name a scheme (RFC 9110 section 11.6.1). */
const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="captcha"' };

export function rejected(
  { status, error, reason, validation_check }: Rejection,
  allow = "GET, POST",
): CaptchaResponse {
  const wait = RETRY_AFTER[status];
  const message = reason === undefined ? undefined : MESSAGES[reason];
  const body = { success: false, error, reason, validation_check, message };
  if (status === 401) return json(status, body, CHALLENGE);
  return json(
    status,
    body,
    wait !== undefined ? { "Retry-After": wait } : status === 405 ? { Allow: allow } : undefined,
  );
}

export interface Success {
  request_id: string;
  site_key: string;
  /** Time at which the captcha was solved. */
  challenge_ts: string;
  hostname?: string;
  action?: string;
  /** 1 is a bot; only if the site key exposes it. */
  score?: number;
  /** Set on request; null for a token of another version or another secret. */
  details?: Details | null;
}

export interface Details {
  how: Winning["how"];
  level: number;
  reasons: Winning["reasons"];
  under_attack: boolean;
}

export const accepted = (success: Success): CaptchaResponse => json(200, { success: true, ...success });
