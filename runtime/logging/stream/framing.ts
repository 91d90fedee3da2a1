import type { LogEntry } from "../../abi/delivery.js";

export type Framing = "newline" | "octet_counting";

/** Limits of a write. It costs the kernel about 5 µs: smaller pieces only cost time, larger ones only memory. */
const SMALLEST_PIECE = 64 * 1024;
const LARGEST_PIECE = 1024 * 1024;

/** Maximum payload of an IPv4 datagram: 65,535 less 20 of IP and 8 of UDP. */
export const MAX_DATAGRAM = 65_507;

/** Length at which the send buffer is written: `flush_limit`, from 64 KiB to 1 MiB and at most `drop_limit`. */
export function pieceSize(flushLimit: number, dropLimit: number): number {
  return Math.min(Math.max(flushLimit, SMALLEST_PIECE), LARGEST_PIECE, dropLimit);
}

/**
 * Yields the messages as texts to write, each of about `size` bytes; no message is split over two. "newline"
 * ends each message in LF (RFC 6587 section 3.4.2). "octet_counting" puts length and blank in front of each
 * (section 3.4.1), without an LF, which would be part of the message.
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

/** Cuts at a UTF-8 character; RFC 5424 section 6.1 and RFC 5426 section 3.2 cut long messages at their end. */
export function truncated(message: string, maxBytes: number): string {
  if (message.length <= maxBytes) return message;
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character that begins in front of them.
  while (end > 0 && (message.charCodeAt(end) & 0xc0) === 0x80) end--;
  return message.slice(0, end);
}
