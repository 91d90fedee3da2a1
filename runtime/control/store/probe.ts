/**
 * Reads a whole store, and writes to it what it holds, in a process of its own. LMDB maps the file, and a damaged or cut
 * file ends whoever reads it with SIGSEGV or SIGBUS (seen with garbage and with a truncated file), or whoever writes
 * where the list of free pages is damaged; control must not die of that again and again.
 */
import { messageOf } from "../../abi/message-of.js";
import { openLmdbStore } from "./lmdb.js";

try {
  const store = openLmdbStore(process.argv[2] ?? "");
  const { generation, revision } = store.load();
  try {
    if (revision > 0 || generation > 0) store.commit({ put: [], remove: [], generation, revision });
  } catch {
    // A full or read-only disk: a later write says so itself.
  }
  process.exit(0);
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exit(1);
}
