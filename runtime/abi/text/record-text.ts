import { isUtf8 } from "node:buffer";
import type { RecordObject } from "../log.js";

const NOT_ASCII = /[^\0-\x7f]/;
const NO_BYTE = /[^\0-\xff]/g;
/** UTF-8 of U+FFFD. */
const REPLACEMENT = "\xef\xbf\xbd";

/**
 * Writes one line of JSON, a byte string of valid UTF-8. Texts and keys are byte strings; bytes that are not
 * UTF-8 become U+FFFD. Undefined fields are omitted; numbers that JSON lacks (NaN, Infinity) become null.
 * @throws TypeError for a value that contains itself
 */
export function recordText(record: RecordObject): string {
  const text = JSON.stringify(record);
  return NOT_ASCII.test(text) ? validUtf8(text) : text;
}

/**
 * Keeps JSON valid: its own characters are ASCII, and no decoder takes an ASCII byte for a part of a broken
 * sequence (Unicode 15, table 3-7).
 */
export function validUtf8(text: string): string {
  // JSON.stringify leaves bytes from 0x80 unchanged. A character that is no byte came from unencoded text.
  const bytes = Buffer.from(text.replace(NO_BYTE, REPLACEMENT), "latin1");
  return isUtf8(bytes)
    ? bytes.toString("latin1")
    : Buffer.from(bytes.toString("utf8"), "utf8").toString("latin1");
}
