import { isOfSystem, writeFaultOf } from "./error-message.js";

/**
 * Keeps writes from LMDB after a failed one (EIO), in any file of a store: `mdb_page_flush` of lmdb-js 3.5.6
 * then prints more than 100 bytes into 100, so that another write may end the process, or worse.
 */
export class WriteFault {
  #reason: string | undefined;
  readonly #refusal: (reason: string) => Error;
  readonly #failed: (isAsked: boolean) => void;

  /**
   * @param refusal error of each refused write
   * @param failed called for the failed write and each refused one, with whether a client asked for it
   */
  constructor(refusal: (reason: string) => Error, failed: (isAsked: boolean) => void) {
    this.#refusal = refusal;
    this.#failed = failed;
  }

  /** @throws the refusal after a failed write */
  refuse(isAsked: boolean): void {
    if (this.#reason === undefined) return;
    this.#failed(isAsked);
    throw this.#refusal(this.#reason);
  }

  /** Records the error that LMDB ended a write with. */
  note(error: unknown, isAsked: boolean): void {
    if (!isSystemFault(error)) return;
    this.#reason ??= writeFaultOf(error);
    this.#failed(isAsked);
  }
}

/** Reports whether LMDB gave up because a system call failed. */
export const isSystemFault = (error: unknown): boolean =>
  isOfSystem(((error ?? {}) as { code?: unknown }).code);
