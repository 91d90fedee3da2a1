import { Buffer } from "node:buffer";

const ASCII = /^[\0-\x7f]*$/;
/** A byte that is not UTF-8, as U+DC80 to U+DCFF, like Python's "surrogateescape". */
const ESCAPED_BYTE = /[\udc80-\udcff]/;

/** Encodes a text as UTF-8, one character for each byte. */
export function utf8(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Percent-encodes a byte. */
export function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Decodes base64 to bytes, one character for each. */
export function base64(text: string): string {
  return Buffer.from(text, "base64").toString("latin1");
}

/**
 * Turns a byte that belongs to no character into a lone surrogate, so that `encodeUtf8` returns the same
 * byte: a filter never damages bytes that it does not match.
 */
export function decodeUtf8(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  return text.includes("\ufffd") ? decodeBroken(bytes) : text;
}

export function encodeUtf8(text: string): string {
  if (ASCII.test(text)) return text;
  if (!ESCAPED_BYTE.test(text)) return Buffer.from(text, "utf8").toString("latin1");
  let bytes = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code >= 0xdc80 && code <= 0xdcff ? String.fromCharCode(code - 0xdc00) : utf8(character);
  }
  return bytes;
}

/** Lone surrogates; halves of a pair do not match. */
const LONE_BYTE = /[\udc80-\udcff]/u;

/** Decodes edited text again, as if encoded in between: bytes that are now adjacent may form a character. */
export function decodedAgain(text: string): string {
  return LONE_BYTE.test(text) ? decodeUtf8(encodeUtf8(text)) : text;
}

/** Well-formed UTF-8 (Unicode 15, table 3-7), or any single byte. */
const SEQUENCE =
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

function decodeBroken(bytes: string): string {
  return bytes.replace(SEQUENCE, (sequence) => {
    const first = sequence.charCodeAt(0);
    if (first < 0x80) return sequence;
    if (sequence.length === 1) return String.fromCharCode(0xdc00 + first);
    return Buffer.from(sequence, "latin1").toString("utf8");
  });
}

/** The method behind `toString("latin1")`, without its dispatch over encodings; its types omit it. */
interface WithLatin1Slice {
  latin1Slice(start: number, end: number): string;
}

export function latin1(buffer: Buffer, start: number, end: number): string {
  return (buffer as unknown as WithLatin1Slice).latin1Slice(start, end);
}

/** First characters of flattened texts; stored so that the optimizer does not remove the read. */
const seen = new Uint16Array(1);

/**
 * Returns the same text in one piece of memory. V8 keeps a concatenated text as a tree of its parts until a
 * character is read, which flattens it. A batch keeps a thousand records for seconds, and the garbage
 * collector copies such a tree part by part. That was half of the 20 µs that syslog cost a request.
 */
export function flattenRope(text: string): string {
  seen[0] = text.charCodeAt(0);
  return text;
}
