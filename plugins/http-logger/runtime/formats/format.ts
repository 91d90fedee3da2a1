import type { LogEntry } from "../../../../runtime/logging/index.js";
import type { Answer } from "../endpoint.js";
import type { Verdict } from "../verdict.js";

/** Format in which a server receives records. */
export interface BodyFormat {
  readonly contentType: string;
  /** Default path for an address without one. */
  readonly path?: string;
  /** Extra query parameters; they precede the address's own query. */
  readonly query?: string;
  /** Maximum number of response bytes to read; the rest is cut. */
  readonly answerBytes: number;
  /** Request body with these entries in order; a byte string. */
  body(entries: readonly LogEntry[]): string;
  /**
   * Interprets a response whose status is not sufficient. Absent if the status is.
   * @param byStatus the verdict by the status alone
   * @param clean removes secrets from a text
   */
  verdict?(
    answer: Answer,
    entries: readonly LogEntry[],
    byStatus: Verdict,
    clean: (text: string) => string,
  ): Verdict;
}
