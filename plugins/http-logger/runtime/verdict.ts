import type { Answer } from "./endpoint.js";

/** What an answer means for the records of its request. */
export type Verdict =
  /**
   * The server has them, but for `refused`, which it will never take (`because`), and `again`, which are worth another try
   * (`later`): indexes in the request.
   */
  | {
      kind: "taken";
      refused?: readonly number[];
      again?: readonly number[];
      because?: string;
      later?: string;
    }
  /** Nothing of it was taken, and another try may succeed. */
  | { kind: "again"; because: string }
  /** Nothing will be taken until somebody changes the configuration here or there: an address, credentials, rights. */
  | { kind: "settings"; because: string }
  /** Too large: parts of it may pass. */
  | { kind: "large"; because: string }
  /** A record of it will never be taken, and keeps the others from being. */
  | { kind: "split"; because: string }
  /** It will never be taken. */
  | { kind: "refused"; because: string };

/** Longest wait that a server can ask for, in milliseconds: what waits here waits in memory. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Characters of an answer in a message. */
const QUOTED = 200;

/** 408 Request Timeout, 425 Too Early, 429 Too Many Requests: the moment is wrong, not the request. */
const MOMENT: ReadonlySet<number> = new Set([408, 425, 429]);
/**
 * They are about who asks for what, and no record is at fault: an expired token would throw away all that waits for a new one.
 * 401 Unauthorized, 403 Forbidden, 404 Not Found, 405 Method Not Allowed, 407 Proxy Authentication Required.
 */
const SETTINGS: ReadonlySet<number> = new Set([401, 403, 404, 405, 407]);

/** What the status alone says. @param clean takes secrets out of a text */
export function verdictOf(answer: Answer, clean: (text: string) => string): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: "taken" };
  const because = `answered ${status}${quotation(answer.text, clean)}`;
  if (status >= 500 || MOMENT.has(status)) return { kind: "again", because };
  if (status === 413) return { kind: "large", because };
  if (status < 400) return { kind: "settings", because: `answered ${status}; redirects are not followed` };
  return { kind: SETTINGS.has(status) ? "settings" : "refused", because };
}

/** `: text`, on one line and short; "" for none. */
export function quotation(text: string, clean: (text: string) => string): string {
  const shown = clean(Buffer.from(text, "latin1").toString("utf8"))
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  if (shown === "") return "";
  return `: ${shown.length > QUOTED ? `${shown.slice(0, QUOTED)}…` : shown}`;
}

/**
 * Milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110 section 10.2.3), a minute at most; undefined for
 * neither.
 */
export function retryAfterMs(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined;
  const text = field.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
