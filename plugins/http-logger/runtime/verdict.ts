import type { Answer } from "./endpoint.js";

/** Meaning of a response for the records of its request. */
export type Verdict =
  /**
   * The server has stored the records except two lists of indexes. It will never store `refused`; `again` are
   * to be sent again (`later`).
   */
  | {
      kind: "taken";
      refused?: readonly number[];
      again?: readonly number[];
      because?: string;
      later?: string;
    }
  /** Nothing was stored; a retry may succeed. */
  | { kind: "again"; because: string }
  /** Nothing is stored until somebody changes the configuration here or there: an address, credentials, rights. */
  | { kind: "settings"; because: string }
  /** Too large; parts of it may pass. */
  | { kind: "large"; because: string }
  /** One record will never be stored and blocks the others. */
  | { kind: "split"; because: string }
  /** The records will never be stored. */
  | { kind: "refused"; because: string };

/** Maximum accepted: pending entries are in memory. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Characters of a quoted response. */
const QUOTED = 200;

/** 408 Request Timeout, 425 Too Early, 429 Too Many Requests: transient, the request is valid. */
const MOMENT: ReadonlySet<number> = new Set([408, 425, 429]);
/**
 * Errors of the address or the rights; the records are valid. An expired token must not drop everything that
 * waits for a new one. 401 Unauthorized, 403 Forbidden, 404 Not Found, 405 Method Not Allowed, 407 Proxy
 * Authentication Required.
 */
const SETTINGS: ReadonlySet<number> = new Set([401, 403, 404, 405, 407]);

/** @param clean removes secrets from a text */
export function verdictOf(answer: Answer, clean: (text: string) => string): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: "taken" };
  const because = `responded with ${status}${quotation(answer.text, clean)}`;
  if (status >= 500 || MOMENT.has(status)) return { kind: "again", because };
  if (status === 413) return { kind: "large", because };
  if (status < 400)
    return { kind: "settings", because: `responded with ${status}; redirects are not followed` };
  return { kind: SETTINGS.has(status) ? "settings" : "refused", because };
}

/** `: text` in one line and shortened; "" for an empty text. */
export function quotation(text: string, clean: (text: string) => string): string {
  const shown = clean(Buffer.from(text, "latin1").toString("utf8"))
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  if (shown === "") return "";
  return `: ${shown.length > QUOTED ? `${shown.slice(0, QUOTED)}…` : shown}`;
}

/** Seconds or a date (RFC 9110 section 10.2.3), at most a minute; undefined if it is neither. */
export function retryAfterMs(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined;
  const text = field.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
