import type { LogEntry } from "../../../../runtime/abi/delivery.js";
import type { Answer } from "../endpoint.js";
import type { Verdict } from "../verdict.js";

/** A form in which a server takes records. */
export interface BodyFormat {
  readonly contentType: string;
  /** Where it is taken, for an address without a path. */
  readonly path?: string;
  /** What the server has to be told beside the records; stands in front of the address's own query. */
  readonly query?: string;
  /** Bytes of an answer that are read: what is longer is cut. */
  readonly answerBytes: number;
  /** The body of a request with these entries, in their order; a byte string. */
  body(entries: readonly LogEntry[]): string;
  /**
   * What an answer means where its status is not all of it; absent: the status is.
   * @param byStatus what the status says
   * @param clean takes secrets out of a text
   */
  verdict?(
    answer: Answer,
    entries: readonly LogEntry[],
    byStatus: Verdict,
    clean: (text: string) => string,
  ): Verdict;
}
