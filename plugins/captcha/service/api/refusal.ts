import { type CaptchaResponse, StorageError } from "../contract.js";
import { json } from "../http/answer.js";
import { MemoryBusyError } from "../pow/memory-checks.js";
import type { ApiError } from "../protocol.js";
import { TasksBusyError } from "../tasks/tasks.js";

/** Retry-After when the store fails. */
const STORE_RETRY_MS = 2_000;
const BUSY_RETRY_MS = 3_000;

/** Response with a status of 400 or more; repeats nothing of the request. */
export class ApiRejection extends Error {
  readonly status: number;
  readonly body: ApiError;

  constructor(status: number, error: ApiError["error"], retryAfterMs?: number, message?: string) {
    super(error);
    this.status = status;
    this.body = {
      error,
      retryable: RETRYABLE.has(error),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
      ...(message === undefined ? {} : { message }),
    };
  }
}

export class SessionEnd extends ApiRejection {}

const RETRYABLE: ReadonlySet<ApiError["error"]> = new Set([
  "rate_limited",
  "service_unavailable",
  "session_expired",
]);

export const invalidRequest = (status = 400) => new ApiRejection(status, "invalid_request");
/** The response does not distinguish unknown, used, foreign and expired sessions. */
export const sessionExpired = () => new SessionEnd(410, "session_expired");

export const tooManyTries = () =>
  new SessionEnd(410, "session_expired", undefined, "Too many wrong answers: begin a new session.");

/** An overload of drawing or checking is transient and nobody's fault. @throws always */
export function busy(error: unknown): never {
  throw error instanceof TasksBusyError || error instanceof MemoryBusyError
    ? new ApiRejection(503, "service_unavailable", BUSY_RETRY_MS)
    : error;
}

/** @throws any error but refusals and store failures */
export function refusalAnswer(error: unknown): CaptchaResponse {
  const refusal =
    error instanceof StorageError ? new ApiRejection(503, "service_unavailable", STORE_RETRY_MS) : error;
  if (!(refusal instanceof ApiRejection)) throw error;
  const { status, body } = refusal;
  const fields: Record<string, string> = {};
  if (body.retry_after_ms !== undefined)
    fields["Retry-After"] = String(Math.ceil(body.retry_after_ms / 1_000));
  if (status === 405) fields["Allow"] = "POST";
  return json(status, body, fields);
}
