import { trimBlanks } from "../abi/text/field.js";
import { ringOf } from "./coding-window.js";
import { CodingError } from "./fault.js";

/** Nested codings of one body; a second one is already rare. */
const MAX_CODINGS = 4;
/** Maximum coded bytes that are decoded at once. CPU at once and through a thread: 41 and 129 µs for 0.4 kB, 59 and 63 for 5 kB. */
const MAX_SYNC_CODED_BYTES = 6_144;
/** Maximum bytes of text that are made at once; 0.2 ms. */
export const MAX_SYNC_TEXT_BYTES = 65_536;
/** Maximum text that a decoder may make at once before it gives any: nginx's window for brotli; 0.3 ms. */
const MAX_SYNC_RING = 524_288;

/** Reports whether a body, or its beginning, is decoded at once; `first`: its first bytes. */
export const isDecodedSync = (coding: string, first: Buffer, size: number): boolean =>
  size <= MAX_SYNC_CODED_BYTES && ringOf(coding, first).ahead <= MAX_SYNC_RING;

/** Codings of a Content-Encoding value in lower case, in the order in which they were done. */
export const codingsOf = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(",")
    .map(trimBlanks)
    .filter((coding) => coding !== "" && coding !== "identity");

/**
 * The same in the order in which they are undone: of "gzip, br" br is the first.
 * @throws CodingError for more of them than are undone
 */
export function codingsToUndo(encoding: string): string[] {
  const codings = codingsOf(encoding);
  if (codings.length > MAX_CODINGS)
    throw new CodingError(`${codings.length} codings are nested, at most ${MAX_CODINGS} are undone`);
  return codings.reverse();
}
