import { mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { makeLockFile, restrictToOwner, type WriteFault } from "../../../../runtime/process/service-api.js";
import { StorageError } from "../contract.js";
import { reasonOf, WRITES } from "./lmdb-writes.js";
import { WriteRoom } from "./write-room.js";

export interface OpenFile {
  root: RootDatabase<string, string>;
  room: WriteRoom;
}

/**
 * Creates a missing directory with 0700, files with 0600.
 * @param parts databases that the caller opens in it
 * @param fault shared by all files of the process
 * @throws StorageError also if the disk has no room for a new file
 */
export function openFile(
  file: string,
  parts: number,
  fault?: WriteFault,
  options: { noSync?: boolean } = {},
): OpenFile {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makeLockFile(file);
    const root = open<string, string>({
      path: file,
      encoding: "string",
      cache: false,
      ...options,
      ...WRITES,
    });
    restrictToOwner(dirname(file), basename(file));
    const room = new WriteRoom(file, fault);
    // Creating a missing database is a write.
    const { entryCount } = root.getStats() as { entryCount: number };
    if (entryCount < parts) room.demand({ puts: parts });
    return { root, room };
  } catch (error) {
    throw new StorageError(`the captcha's store cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}
