import { crc32 } from "node:zlib";
import type { LogEntry } from "../../abi/delivery.js";
import { latin1 } from "../../abi/text/bytes.js";

/**
 * Entry in a segment: magic (4 bytes), length behind the checksum (4), checksum of that part (4), number of
 * the entry in its segment (4), length of the entry source (2), of the key (2, or `LONG_KEY` and 4 more),
 * entry source, key, payload; little-endian. After damage reading continues at the next magic; the entry's
 * number tells how many are missing. Version 0.1 has another magic, and neither number nor entry source.
 *
 * The time of the entry in epoch ms (6 bytes) ends the entry source, behind `TIME_MARK`. Releases that write
 * none read it as a third part of the entry source, of which they use two: they read these entries too.
 */
const MAGIC = 0x32535747; // "GWS2"
const FIRST_MAGIC = 0x31535747; // "GWS1"
/** Seed of the checksum: a frame whose magic was damaged into the other one does not pass. */
const SEED = 2;
const MARK = Buffer.from("GWS", "latin1");
const HEAD = 12;
/** Size of the number and of the length of the entry source. */
const OF_ENTRY = 6;
const KEY_LENGTH = 2;
/** Bytes 0 and 1: no name of a logger or route has them. */
const TIME_MARK = 0x0100;
const TIME_LENGTH = 8;
const NO_KEY = 0xffff;
const LONG_KEY = 0xfffe;
const LONG_KEY_LENGTH = 6;
/** Maximum length; a longer one is damage: records are far shorter (default limit of bodies: 2 × 512 kB). */
const MAX_LENGTH = 64 * 1_048_576;

export function frameSize({ payload, key, origin = "" }: LogEntry): number {
  const lengths = OF_ENTRY + (isLong(key) ? LONG_KEY_LENGTH : KEY_LENGTH);
  return HEAD + lengths + origin.length + TIME_LENGTH + (key?.length ?? 0) + payload.length;
}

const isLong = (key: string | undefined) => key !== undefined && key.length >= LONG_KEY;

/** Needs `frameSize` bytes at `offset`; returns the offset behind them. */
export function writeFrame(
  target: Buffer,
  offset: number,
  entry: LogEntry,
  number: number,
  time: number,
): number {
  const { payload, key, origin = "" } = entry;
  const body = offset + HEAD;
  const long = isLong(key);
  target.writeUInt32LE(number, body);
  target.writeUInt16LE(origin.length + TIME_LENGTH, body + 4);
  const lengths = body + OF_ENTRY;
  target.writeUInt16LE(long ? LONG_KEY : (key?.length ?? NO_KEY), lengths);
  if (long) target.writeUInt32LE(key?.length ?? 0, lengths + KEY_LENGTH);
  let at = lengths + (long ? LONG_KEY_LENGTH : KEY_LENGTH);
  if (origin !== "") at += target.write(origin, at, "latin1");
  target.writeUInt16LE(TIME_MARK, at);
  at = target.writeUIntLE(time, at + 2, TIME_LENGTH - 2);
  if (key !== undefined) at += target.write(key, at, "latin1");
  at += target.write(payload, at, "latin1");
  target.writeUInt32LE(MAGIC, offset);
  target.writeUInt32LE(at - body, offset + 4);
  target.writeUInt32LE(crc32(target.subarray(body, at), SEED), offset + 8);
  return at;
}

export type Frame =
  /** `number`: index of the entry in its segment; undefined in version 0.1. */
  | { kind: "entry"; entry: LogEntry; number: number | undefined; end: number }
  /** The beginning of a frame: more is being written, or the writer was killed. */
  | { kind: "torn" }
  /** Not a frame; `next` is the next possible beginning of one. */
  | { kind: "damaged"; next: number };

/** @param complete nothing follows the end of `source`, so that a frame that reaches beyond it is damage */
export function readFrame(source: Buffer, offset: number, complete: boolean): Frame {
  const left = source.length - offset;
  if (left < 4) return { kind: "torn" };
  if (!isMagic(source, offset)) return damaged(source, offset);
  if (left < HEAD) return { kind: "torn" };
  const length = source.readUInt32LE(offset + 4);
  if (length < KEY_LENGTH || length > MAX_LENGTH) return damaged(source, offset);
  const body = offset + HEAD;
  const end = body + length;
  // A whole frame further on proves a damaged length, but not while more may come: a payload may contain one.
  if (end > source.length) return (complete ? nextWhole(source, offset) : undefined) ?? { kind: "torn" };
  if (!isIntact(source, offset, end)) return damaged(source, offset);
  const first = source.readUInt32LE(offset) === FIRST_MAGIC;
  const entry = first ? entryIn(source, body, end, 0) : entryWithOrigin(source, body, end);
  if (entry === undefined) return damaged(source, offset);
  return { kind: "entry", entry, number: first ? undefined : source.readUInt32LE(body), end };
}

function isMagic(source: Buffer, offset: number): boolean {
  const magic = source.readUInt32LE(offset);
  return magic === MAGIC || magic === FIRST_MAGIC;
}

function isIntact(source: Buffer, offset: number, end: number): boolean {
  const seed = source.readUInt32LE(offset) === MAGIC ? SEED : 0;
  return crc32(source.subarray(offset + HEAD, end), seed) === source.readUInt32LE(offset + 8);
}

function entryWithOrigin(source: Buffer, body: number, end: number): LogEntry | undefined {
  const lengths = body + OF_ENTRY;
  if (lengths + KEY_LENGTH > end) return undefined;
  return entryIn(source, lengths, end, source.readUInt16LE(body + 4));
}

/** @param length length of the entry source @returns undefined if a length reaches beyond the end */
function entryIn(source: Buffer, lengths: number, end: number, length: number): LogEntry | undefined {
  const first = source.readUInt16LE(lengths);
  const long = first === LONG_KEY;
  const from = lengths + (long ? LONG_KEY_LENGTH : KEY_LENGTH);
  const key = from + length;
  if (key > end) return undefined;
  const { origin } = sourceIn(source, from, key);
  const more = origin === "" ? {} : { origin };
  if (first === NO_KEY) return { payload: latin1(source, key, end), ...more };
  const payload = key + (long ? source.readUInt32LE(lengths + KEY_LENGTH) : first);
  if (payload > end) return undefined;
  return { payload: latin1(source, payload, end), key: latin1(source, key, payload), ...more };
}

function sourceIn(buffer: Buffer, from: number, to: number): Pick<FrameHead, "origin" | "time"> {
  const mark = to - TIME_LENGTH;
  if (mark < from || buffer.readUInt16LE(mark) !== TIME_MARK)
    return { origin: latin1(buffer, from, to), time: undefined };
  return { origin: latin1(buffer, from, mark), time: buffer.readUIntLE(mark + 2, TIME_LENGTH - 2) };
}

export interface FrameHead {
  origin: string;
  /** Time of the entry in epoch ms; undefined in entries of earlier releases. */
  time: number | undefined;
  /** Bytes of key and payload. */
  bytes: number;
  end: number;
}

/** Reads the head of the frame at `offset`. @returns undefined if there is none, or only a part of it */
export function readHead(source: Buffer, offset: number): FrameHead | undefined {
  const body = offset + HEAD;
  if (body + OF_ENTRY > source.length || !isMagic(source, offset)) return undefined;
  const length = source.readUInt32LE(offset + 4);
  if (length > MAX_LENGTH) return undefined;
  const end = body + length;
  if (source.readUInt32LE(offset) === FIRST_MAGIC)
    return { origin: "", time: undefined, bytes: length - KEY_LENGTH, end };
  const stored = source.readUInt16LE(body + 4);
  const from = body + OF_ENTRY + (keyLengthOf(source, body) === LONG_KEY ? LONG_KEY_LENGTH : KEY_LENGTH);
  if (from + stored > source.length) return undefined;
  return { ...sourceIn(source, from, from + stored), bytes: end - from - stored, end };
}

const keyLengthOf = (source: Buffer, body: number) =>
  body + OF_ENTRY + KEY_LENGTH > source.length ? 0 : source.readUInt16LE(body + OF_ENTRY);

/** Returns the next possible beginning of a frame behind `offset`, or the end of `source`. */
export function nextMark(source: Buffer, offset: number): number {
  for (let at = source.indexOf(MARK, offset + 1); at >= 0; at = source.indexOf(MARK, at + 1))
    if (at + 4 > source.length || isMagic(source, at)) return at;
  return source.length;
}

function damaged(source: Buffer, offset: number): Frame {
  return { kind: "damaged", next: nextMark(source, offset) };
}

function nextWhole(source: Buffer, offset: number): Frame | undefined {
  for (let at = nextMark(source, offset + 3); at < source.length; at = nextMark(source, at + 3)) {
    if (source.length - at < HEAD) return undefined;
    const end = at + HEAD + source.readUInt32LE(at + 4);
    if (end <= source.length && isIntact(source, at, end)) return { kind: "damaged", next: at };
  }
  return undefined;
}
