import { messageOf } from "../../abi/error-message.js";
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
