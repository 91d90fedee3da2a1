import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { DecodedPieces } from "./decoded-pieces.js";
import { NoRoomError } from "./fault.js";
import { MAX_STEP_TEXT, type ZstdBody, zstdSteps } from "./zstd-steps.js";
import { type Decoded, ZstdThread } from "./zstd-thread.js";

/** Maximum coded bytes for a synchronous first step; most bodies of this length need no second one. */
const MAX_SYNC_BYTES = 6_144;

/** Logs have their own thread, so that responses do not wait for request bodies. */
const responses = new ZstdThread();
const logs = new ZstdThread();

/**
 * Decodes zstd where Node cannot: short bodies in one step, others in a thread.
 * @throws OversizeError if the text has more than `limit` bytes
 * @throws CodingError (or an error of the decoder) for bytes that are not intact zstd, or cost too much
 * @throws NoRoomError if the process buffers too many bodies
 */
export async function decodeZstd(body: ZstdBody, held?: BufferedBytes): Promise<Decoded> {
  const decoded = body.bytes.length <= MAX_SYNC_BYTES ? inOneStep(body, held) : undefined;
  return decoded ?? (body.beginning ? logs : responses).decode(body, held);
}

/** @returns undefined if one step is not enough */
function inOneStep(body: ZstdBody, held: BufferedBytes | undefined): Decoded | undefined {
  const text = new DecodedPieces(held, MAX_STEP_TEXT);
  try {
    const steps = zstdSteps(body);
    const first = steps.next();
    if (first.done) return { pieces: text.pieces, whole: first.value };
    const end = steps.next();
    if (!end.done) return undefined;
    if (!text.add(first.value)) throw new NoRoomError();
    return { pieces: text.pieces, whole: end.value };
  } finally {
    text.over();
  }
}
