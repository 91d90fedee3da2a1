import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { DecodedPieces } from "./decoded-pieces.js";
import { NoRoomError } from "./fault.js";
import { MAX_STEP_TEXT, type ZstdBody, zstdSteps } from "./zstd-steps.js";
import { type Decoded, ZstdThread } from "./zstd-thread.js";

/** Coded bytes up to which a first step is tried at once: most bodies of this length need no second one. */
const AT_ONCE = 6_144;

/** Responses do not wait for what clients send: logs have a thread of their own. */
const responses = new ZstdThread();
const logs = new ZstdThread();

/**
 * Decodes zstd where Node cannot: in one step what is short, else in a thread.
 * @throws OversizeError when the text has more than `limit` bytes
 * @throws CodingError (or whatever the decoder throws) for bytes that are not intact zstd, or cost too much
 * @throws NoRoomError when the process holds too many bodies
 */
export async function decodeZstd(body: ZstdBody, held?: BufferedBytes): Promise<Decoded> {
  const decoded = body.bytes.length <= AT_ONCE ? inOneStep(body, held) : undefined;
  return decoded ?? (body.beginning ? logs : responses).decode(body, held);
}

/** Undefined when one step is not enough. */
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
