import { writeFaultOf } from "../../../../runtime/abi/error-message.js";
import { WriteFault } from "../../../../runtime/abi/write-fault.js";
import { StorageError } from "../contract.js";

/** A write that takes longer has failed as far as the client is concerned; a flush takes 0.24 ms on this project's machine. */
const WRITE_MS = 2_000;

/** How lmdb is opened for writing. */
export const WRITES = {
  // Without overlapping sync a commit counts after its flush.
  overlappingSync: false,
  // With it, a commit that fails (a full disk) rejects a promise of lmdb's own that nobody hears, which ends the process.
  eventTurnBatching: false,
  /** Writes after which a transaction starts before the event loop turns. */
  txnStartThreshold: 100,
};

/** @throws StorageError when the work takes longer than a client waits */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StorageError("the disk does not answer")), WRITE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * A commit that fails rejects every write of it, and each error carries another promise with the reason. Whoever waits for a claim
 * is told by its condition; the others must have been listened to, or they end the process.
 */
export function onWriteError(error: unknown): void {
  (error as { commitError?: Promise<unknown> }).commitError?.catch(() => {});
}

/** Waits for what the system said of a commit, where an error names nothing but the commit. */
export async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<unknown> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/**
 * The fault of all files that a process writes.
 * @param failed told of each write that LMDB gets no more in this process, and whether a request waits for it
 */
export const captchaWriteFault = (failed: (isAsked: boolean) => void = () => {}): WriteFault =>
  new WriteFault(
    (reason) => new StorageError(`the store takes no write until the captcha has started again: ${reason}`),
    failed,
  );

/** What an operator is told of a fault of the disk. */
export function reasonOf(error: unknown): string {
  onWriteError(error);
  return writeFaultOf(error);
}
