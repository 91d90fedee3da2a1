import type { LogEntry } from "../../../../runtime/logging/index.js";
import type { Answer } from "../endpoint.js";
import type { Verdict } from "../verdict.js";

export interface BodyFormat {
  readonly contentType: string;
  /** Default for an address without one. */
  readonly path?: string;
  /** Parameters that precede the address's own query. */
  readonly query?: string;
  /** Response bytes to read; the rest is cut. */
  readonly answerBytes: number;
  /** Byte string with these entries in order. */
  body(entries: readonly LogEntry[]): string;
  /** Absent if the status is sufficient. @param clean removes secrets from a text */
  verdict?(
    answer: Answer,
    entries: readonly LogEntry[],
    byStatus: Verdict,
    clean: (text: string) => string,
  ): Verdict;
}
