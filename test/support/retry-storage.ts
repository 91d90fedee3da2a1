import { setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../../plugins/captcha/service/contract.js";
import { PATIENCE_MS } from "./patience.js";

/**
 * Repeats an operation until the captcha's store accepts it: after a start, a freeze or a loss of the store.
 */
export async function again<T>(action: () => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StorageError) || Date.now() > end) throw error;
      await wait(50);
    }
  }
}
