/**
 * Reads a whole store in a process of its own. LMDB maps the file, and a damaged or cut file ends whoever reads it with
 * SIGSEGV or SIGBUS (seen with garbage and with a truncated file); control must not die of that again and again.
 */
import { openLmdbStore } from "./lmdb.js";

try {
  openLmdbStore(process.argv[2] ?? "").load();
  process.exit(0);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
