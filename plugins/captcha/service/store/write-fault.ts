import { isOfSystem, writeFaultOf } from "../../../../runtime/abi/error-message.js";
import { StorageError } from "../contract.js";

/**
 * Hands LMDB no write after one that the system has failed (EIO), in any file of the store: `mdb_page_flush` of lmdb-js 3.5.6 then
 * prints more than 100 bytes into 100, so that another write may end the process, or worse.
 */
export class WriteFault {
  #reason: string | undefined;
  readonly #failed: (isAsked: boolean) => void;

  /** @param failed told of that write, and of each that is refused since, and whether a request waits for it */
  constructor(failed: (isAsked: boolean) => void = () => {}) {
    this.#failed = failed;
  }

  /** @throws StorageError after a failed write */
  refuse(isAsked: boolean): void {
    if (this.#reason === undefined) return;
    this.#failed(isAsked);
    throw new StorageError(`the store takes no write until the captcha has started again: ${this.#reason}`);
  }

  /** Takes note of what a write ended with. */
  note(error: unknown, isAsked: boolean): void {
    if (!isOfSystem((error as { code?: unknown }).code)) return;
    this.#reason ??= writeFaultOf(error);
    this.#failed(isAsked);
  }
}
