import type { LogEntry } from "../../abi/delivery.js";

/** How messages are told apart on a stream. */
export type Framing = "newline" | "octet_counting";

/** A write costs the kernel about 5 µs, so smaller pieces than this only cost time; larger ones than 1 MiB only memory. */
const SMALLEST_PIECE = 64 * 1024;
const LARGEST_PIECE = 1024 * 1024;

/** Largest payload of an IPv4 datagram: 65,535 less 20 of IP and 8 of UDP. */
export const MAX_DATAGRAM = 65_507;

/** Length of the send buffer at which it is written: `flush_limit`, between 64 KiB and 1 MiB and never above `drop_limit`. */
export function pieceSize(flushLimit: number, dropLimit: number): number {
  return Math.min(Math.max(flushLimit, SMALLEST_PIECE), LARGEST_PIECE, dropLimit);
}

/**
 * The messages as texts to write, each of about `size` bytes; a message is never split over two. Newline: LF after each
 * message (RFC 6587 section 3.4.2). Octet counting: length and blank before each (section 3.4.1), and no LF, which would
 * be part of the message.
 */
export function* pieces(entries: readonly LogEntry[], framing: Framing, size: number): Generator<string> {
  let text = "";
  for (const { payload } of entries) {
    text += framing === "newline" ? `${payload}\n` : `${payload.length} ${payload}`;
    if (text.length < size) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/**
 * The first bytes of a message, at most `maxBytes`, cut before a character of UTF-8 that would not be whole (RFC 5424
 * section 6.1 and RFC 5426 section 3.2: what is too long for the transport is cut at its end).
 */
export function truncated(message: string, maxBytes: number): string {
  if (message.length <= maxBytes) return message;
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character that begins before them.
  while (end > 0 && (message.charCodeAt(end) & 0xc0) === 0x80) end--;
  return message.slice(0, end);
}
