import { isOfSystem, writeFaultOf } from "../../abi/error-message.js";
import { type Store, type StoreCommit, StoreError } from "./store.js";

/**
 * Hands LMDB no write after one that the system has failed (EIO): `mdb_page_flush` of lmdb-js 3.5.6 then prints more than 100 bytes into
 * 100, so that another write may end the process, or worse.
 * @param failed told of that write, and of each that is refused since, and whether somebody asked for it
 */
export function closedAfterFault(store: Store, failed: (isAsked: boolean) => void): Store {
  let fault: string | undefined;
  const refuse = ({ unasked }: StoreCommit) => {
    if (fault === undefined) return;
    failed(unasked !== true);
    throw new StoreError(`the store takes no write until control has started again: ${fault}`);
  };
  return {
    ...store,
    makeRoom(commit) {
      refuse(commit);
      store.makeRoom(commit);
    },
    commit(commit) {
      refuse(commit);
      try {
        store.commit(commit);
      } catch (error) {
        if (isSystemFault(error)) {
          fault = writeFaultOf(error);
          // LMDB has written "Write error: …" to standard error without an end: the next line of the log is not to be a part of it.
          process.stderr.write("\n");
          failed(commit.unasked !== true);
        }
        throw error;
      }
    },
  };
}

/** Reports whether a call of the system failed in LMDB itself. */
export function isSystemFault(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return isOfSystem(code);
}
