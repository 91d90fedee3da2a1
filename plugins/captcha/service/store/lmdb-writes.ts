import { WriteFault, writeFaultOf } from "../../../../runtime/process/service-api.js";
import { StorageError } from "../contract.js";

export const WRITES = {
  // Without overlapping sync a commit counts after its flush.
  overlappingSync: false,
  // With batching, a commit that fails (a full disk) rejects an internal promise of lmdb without a handler,
  // which ends the process.
  eventTurnBatching: false,
  /** Writes that start a transaction before the event loop turns. */
  txnStartThreshold: 100,
};

/**
 * A failed commit rejects every write of it, and each error carries another promise with the reason. A
 * claim's caller learns it from the condition; the other promises need a handler, or they end the process.
 */
export function onWriteError(error: unknown): void {
  (error as { commitError?: Promise<unknown> }).commitError?.catch(() => {});
}

/** Waits for the system's message if an error only names the commit. */
export async function causeOf(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<unknown> }).commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/** Shared by all files of a process. @param failed called for each write that is rejected until a restart */
export const captchaWriteFault = (failed: (isAsked: boolean) => void = () => {}): WriteFault =>
  new WriteFault(
    (reason) => new StorageError(`the store takes no write until the captcha has started again: ${reason}`),
    failed,
  );

export function reasonOf(error: unknown): string {
  onWriteError(error);
  return writeFaultOf(error);
}
