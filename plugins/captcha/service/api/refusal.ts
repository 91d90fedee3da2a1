import { type CaptchaResponse, StorageError } from "../contract.js";
import { json } from "../http/answer.js";
import { MemoryBusyError } from "../pow/memory-checks.js";
import type { ApiError } from "../protocol.js";
import { TasksBusyError } from "../tasks/tasks.js";

/** Seconds after which a store that failed is worth another try. */
const STORE_RETRY_MS = 2_000;
const BUSY_RETRY_MS = 3_000;

/** An answer of the frame API with a status of 400 or more. Holds nothing of the request. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: ApiError;

  /** @param message for whoever reads the answer; the widget has words of its own */
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

/** A refusal after which there is no session any more. */
export class SessionEnd extends Refusal {}

const RETRYABLE: ReadonlySet<ApiError["error"]> = new Set([
  "rate_limited",
  "service_unavailable",
  "session_expired",
]);

export const invalidRequest = (status = 400) => new Refusal(status, "invalid_request");
/** Unknown, taken, of other people, or too old: told apart for nobody. */
export const sessionExpired = () => new SessionEnd(410, "session_expired");

export const tooManyTries = () =>
  new SessionEnd(410, "session_expired", undefined, "Too many wrong answers: begin a new session.");

/** Drawing or checking is behind: that is nobody's fault and passes. @throws always */
export function busy(error: unknown): never {
  throw error instanceof TasksBusyError || error instanceof MemoryBusyError
    ? new Refusal(503, "service_unavailable", BUSY_RETRY_MS)
    : error;
}

/** The answer for what a handler threw. @throws what is neither a refusal nor a fault of the store */
export function refusalAnswer(error: unknown): CaptchaResponse {
  const refusal =
    error instanceof StorageError ? new Refusal(503, "service_unavailable", STORE_RETRY_MS) : error;
  if (!(refusal instanceof Refusal)) throw error;
  const { status, body } = refusal;
  const fields: Record<string, string> = {};
  if (body.retry_after_ms !== undefined)
    fields["Retry-After"] = String(Math.ceil(body.retry_after_ms / 1_000));
  if (status === 405) fields["Allow"] = "POST";
  return json(status, body, fields);
}
