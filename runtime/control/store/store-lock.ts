import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";

import { join } from "node:path";
import { StartError } from "../../process/contribution.js";
import { log } from "../../process/log.js";
import { listenAsOwner, ownerFault } from "../../process/owner-socket.js";

/** Exclusive use of a store, until released or until the process ends in any way. */
export interface StoreLock {
  release(): void;
}

const NAME = "in-use.sock";
/** Timeout in ms for the previous gateway to release the store: its control may take 5 s to stop. */
const WAIT_MS = 6000;
const RETRY_MS = 100;
/** `sun_path` has 108 bytes on Linux, 104 elsewhere. */
const MAX_SOCKET_PATH = 103;

/**
 * Creates a missing `directory` (0700). The lock is a socket: unlike a pid, it shows whether the owner is
 * alive, also across containers that share a volume. @throws StartError if another gateway uses the store
 */
export async function lockStore(directory: string): Promise<StoreLock> {
  let descriptor: number;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    descriptor = openSync(directory, "r");
  } catch {
    // Opening the store reports the fault.
    return { release: () => {} };
  }
  try {
    return await take(directory, socketIn(directory, descriptor), Date.now() + WAIT_MS);
  } finally {
    closeSync(descriptor);
  }
}

async function take(directory: string, path: string, deadline: number): Promise<StoreLock> {
  for (;;) {
    const { server, fault } = await listenAsOwner(path);
    if (fault === undefined) return { release: () => void server.close() };
    const { code = fault.message } = fault as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE") {
      // The disk is not writable, or the file system has no sockets.
      log("store_not_locked", { directory, reason: code });
      return { release: () => {} };
    }
    const owner = await ownerFault(path);
    if (owner === "ECONNREFUSED" || owner === "ENOENT") {
      rmSync(path, { force: true });
    } else if (Date.now() > deadline) {
      throw new StartError(
        `the store in ${directory} is in use by another gateway: stop it, or choose another deployment.store.path`,
      );
    } else {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function socketIn(directory: string, descriptor: number): string {
  const path = join(directory, NAME);
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH ? path : `/proc/self/fd/${descriptor}/${NAME}`;
}
