import { setTimeout as wait } from "node:timers/promises";
import { StorageError } from "../../plugins/captcha/service/contract.js";
import { PATIENCE_MS } from "./patience.js";

/** Repeats what the captcha's store refuses until it succeeds: after a start, a silence or a loss of the store. */
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
