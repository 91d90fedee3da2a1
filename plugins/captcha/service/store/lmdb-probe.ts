/** Reads a whole file in a process of its own, so that a damaged one does not kill the service. */
import { open } from "lmdb";
import { NO_STORE } from "./lmdb-file.js";

try {
  const root = open<string, string>({
    path: process.argv[2] ?? "",
    encoding: "string",
    readOnly: true,
  });
  for (const name of ["claims", "ends", "keys", "states"]) {
    const dupSort = name === "ends";
    const part = root.openDB<unknown, string | number>({
      name,
      dupSort,
      encoding: dupSort ? "ordered-binary" : "string",
    });
    // A file into which no process has written yet has no parts.
    if (part !== undefined) for (const _ of part.getRange());
  }
  process.exit(0);
} catch {
  process.exit(NO_STORE);
}
