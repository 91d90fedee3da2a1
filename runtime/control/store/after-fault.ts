import { isSystemFault, WriteFault } from "../../abi/write-fault.js";
import { type Store, type StoreCommit, StoreError } from "./store.js";

/**
 * Hands LMDB no write after one that the system has failed.
 * @param failed told of that write, and of each that is refused since, and whether somebody asked for it
 */
export function closedAfterFault(store: Store, failed: (isAsked: boolean) => void): Store {
  const fault = new WriteFault(
    (reason) => new StoreError(`the store takes no write until control has started again: ${reason}`),
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
        // LMDB has written "Write error: …" to standard error without an end: the next line of the log is not to be a part of it.
        if (isSystemFault(cause)) process.stderr.write("\n");
        fault.note(cause, isAsked(commit));
        throw error;
      }
    },
  };
}
