import { trimBlanks } from "../abi/text/field.js";
import { ringOf } from "./coding-window.js";
import { CodingError } from "./fault.js";

/** Maximum nested codings of one body; even two are rare. */
const MAX_CODINGS = 4;
/** Maximum coded bytes to decode synchronously: 41 µs against 129 in a thread for 0.4 kB, 59 and 63 for 5 kB. */
const MAX_SYNC_CODED_BYTES = 6_144;
/** Maximum bytes of text that are made synchronously; 0.2 ms. */
export const MAX_SYNC_TEXT_BYTES = 65_536;
/** Maximum text that a synchronous decoder may make before its first output: nginx's window for brotli; 0.3 ms. */
const MAX_SYNC_RING = 524_288;

/** @param first first bytes of the body */
export const isDecodedSync = (coding: string, first: Buffer, size: number): boolean =>
  size <= MAX_SYNC_CODED_BYTES && ringOf(coding, first).ahead <= MAX_SYNC_RING;

/** Codings of a Content-Encoding value in lower case, in the order in which they were applied. */
export const codingsOf = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(",")
    .map(trimBlanks)
    .filter((coding) => coding !== "" && coding !== "identity");

/** Codings in the order of undoing: br first for "gzip, br". @throws CodingError for more than `MAX_CODINGS` */
export function codingsToUndo(encoding: string): string[] {
  const codings = codingsOf(encoding);
  if (codings.length > MAX_CODINGS)
    throw new CodingError(`${codings.length} codings are nested, at most ${MAX_CODINGS} are decoded`);
  return codings.reverse();
}

/** Element of an Accept-Encoding header: coding and quality (RFC 9110 section 12.5.3). */
interface Accepted {
  coding: string;
  quality: number;
  text: string;
}

function elements(field: string): Accepted[] {
  return field.split(",").flatMap((element) => {
    const text = trimBlanks(element);
    if (text === "") return [];
    const [name = "", ...parameters] = text.split(";");
    const q = parameters.map((parameter) => /^[ \t]*q=([0-9.]+)[ \t]*$/i.exec(parameter)?.[1]).find(Boolean);
    return [{ coding: trimBlanks(name).toLowerCase(), quality: q === undefined ? 1 : Number(q), text }];
  });
}

/** Without the header a client gets no coding: it may accept any, but often cannot. */
export function takesCoding(field: string | undefined, coding: string): boolean {
  if (field === undefined) return false;
  const accepted = elements(field);
  const named = accepted.find((element) => sameCoding(element.coding, coding));
  const element = named ?? accepted.find((other) => other.coding === "*");
  return element !== undefined && element.quality > 0;
}

/** RFC 9110 section 8.4.1.3: "x-gzip" is "gzip". */
const sameCoding = (a: string, b: string) => a.replace(/^x-/, "") === b.replace(/^x-/, "");

/**
 * Removes codings that cannot be undone, and "*", which includes them; otherwise the client's own text.
 * "identity" if nothing is left, because an absent header allows any coding.
 */
export function onlyCodings(field: string, known: (coding: string) => boolean): string {
  const accepted = elements(field);
  const kept = accepted.filter(
    ({ coding, quality }) => quality === 0 || coding === "identity" || known(coding),
  );
  if (kept.length === accepted.length) return field;
  return kept.some(({ quality }) => quality > 0) ? kept.map(({ text }) => text).join(", ") : "identity";
}
