import { crc32 } from "node:zlib";
import type { LogEntry } from "../log/contract.js";
import { latin1 } from "../wire/latin1.js";

/**
 * One entry in a segment: magic (4 bytes), length of what follows the checksum (4), checksum of it (4), length of the key (2,
 * or `LONG_KEY` and 4 more), key, payload. Numbers are little-endian. The magic is where reading goes on after damage.
 */
const MAGIC = 0x31535747; // "GWS1"
const HEAD = 12;
const KEY_LENGTH = 2;
const NO_KEY = 0xffff;
const LONG_KEY = 0xfffe;
const LONG_KEY_LENGTH = 6;
/** Above it a length is taken for damage: no record comes near it (bodies are bounded at 2 × 512 kB by default). */
const MAX_LENGTH = 64 * 1_048_576;

/** Bytes that an entry takes in a segment. */
export function frameSize({ payload, key }: LogEntry): number {
  return HEAD + (isLong(key) ? LONG_KEY_LENGTH : KEY_LENGTH) + (key?.length ?? 0) + payload.length;
}

const isLong = (key: string | undefined) => key !== undefined && key.length >= LONG_KEY;

/** Writes an entry at `offset`, where `frameSize` bytes are free. @returns the offset behind it */
export function writeFrame(target: Buffer, offset: number, { payload, key }: LogEntry): number {
  const body = offset + HEAD;
  const long = isLong(key);
  target.writeUInt16LE(long ? LONG_KEY : (key?.length ?? NO_KEY), body);
  if (long) target.writeUInt32LE(key?.length ?? 0, body + KEY_LENGTH);
  let at = body + (long ? LONG_KEY_LENGTH : KEY_LENGTH);
  if (key !== undefined) at += target.write(key, at, "latin1");
  at += target.write(payload, at, "latin1");
  target.writeUInt32LE(MAGIC, offset);
  target.writeUInt32LE(at - body, offset + 4);
  target.writeUInt32LE(crc32(target.subarray(body, at)), offset + 8);
  return at;
}

/** What stands at an offset of a segment. */
export type Frame =
  | { kind: "entry"; entry: LogEntry; end: number }
  /** The beginning of a frame: more is being written, or the writer was killed. */
  | { kind: "torn" }
  /** No frame; `next` is where one may begin again. */
  | { kind: "damaged"; next: number };

/**
 * Reads the frame at `offset`.
 * @param complete nothing comes behind the end of `source`, so that a frame that claims to reach beyond it is no frame
 */
export function readFrame(source: Buffer, offset: number, complete: boolean): Frame {
  const left = source.length - offset;
  if (left < 4) return { kind: "torn" };
  if (source.readUInt32LE(offset) !== MAGIC) return damaged(source, offset);
  if (left < HEAD) return { kind: "torn" };
  const length = source.readUInt32LE(offset + 4);
  if (length < KEY_LENGTH || length > MAX_LENGTH) return damaged(source, offset);
  const body = offset + HEAD;
  const end = body + length;
  // A length that was damaged points behind the end; then a whole frame further on tells so. While more may come it tells
  // nothing: a payload may hold the bytes of a frame.
  if (end > source.length) return (complete ? nextWhole(source, offset) : undefined) ?? { kind: "torn" };
  if (crc32(source.subarray(body, end)) !== source.readUInt32LE(offset + 8)) return damaged(source, offset);
  const entry = entryIn(source, body, end);
  return entry === undefined ? damaged(source, offset) : { kind: "entry", entry, end };
}

/** Undefined when the key is said to reach beyond the end. */
function entryIn(source: Buffer, body: number, end: number): LogEntry | undefined {
  const first = source.readUInt16LE(body);
  const long = first === LONG_KEY;
  const key = body + (long ? LONG_KEY_LENGTH : KEY_LENGTH);
  if (key > end) return undefined;
  if (first === NO_KEY) return { payload: latin1(source, key, end) };
  const payload = key + (long ? source.readUInt32LE(body + KEY_LENGTH) : first);
  if (payload > end) return undefined;
  return { payload: latin1(source, payload, end), key: latin1(source, key, payload) };
}

const MARK = Buffer.from("GWS1", "latin1");

function damaged(source: Buffer, offset: number): Frame {
  const next = source.indexOf(MARK, offset + 1);
  return { kind: "damaged", next: next < 0 ? source.length : next };
}

/** The first whole frame behind a frame that claims to reach beyond the end. */
function nextWhole(source: Buffer, offset: number): Frame | undefined {
  for (let at = source.indexOf(MARK, offset + 4); at >= 0; at = source.indexOf(MARK, at + 4)) {
    if (source.length - at < HEAD) return undefined;
    const end = at + HEAD + source.readUInt32LE(at + 4);
    if (end <= source.length && crc32(source.subarray(at + HEAD, end)) === source.readUInt32LE(at + 8))
      return { kind: "damaged", next: at };
  }
  return undefined;
}
