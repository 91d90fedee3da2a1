import { isSystemFault, WriteFault } from "../../abi/write-fault.js";
import { type Store, type StoreCommit, StoreError } from "./store.js";

/**
 * Rejects all writes after one that failed with a system error, before LMDB sees them.
 * @param failed called for that write and each later one; `isAsked` is false for a write of the gateway
 */
export function closedAfterFault(store: Store, failed: (isAsked: boolean) => void): Store {
  const fault = new WriteFault(
    (reason) => new StoreError(`the store rejects writes until control has restarted: ${reason}`),
    failed,
  );
  const isAsked = ({ unasked }: StoreCommit) => unasked !== true;
  return {
    ...store,
    makeRoom(commit) {
      fault.refuse(isAsked(commit));
      store.makeRoom(commit);
    },
    commit(commit) {
      fault.refuse(isAsked(commit));
      try {
        store.commit(commit);
      } catch (error) {
        const { cause } = error as Error;
        // LMDB wrote "Write error: …" to standard error without a newline; the next log line must not continue it.
        if (isSystemFault(cause)) process.stderr.write("\n");
        fault.note(cause, isAsked(commit));
        throw error;
      }
    },
  };
}
