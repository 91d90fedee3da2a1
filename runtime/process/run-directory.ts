import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { log } from "./log.js";
import { listenAsOwner, ownerFault } from "./owner-socket.js";

/** A private directory (0700) for the sockets and files of one run of a gateway. */
export interface RunDirectory {
  readonly path: string;
  release(): void;
}

const NAME = /^gwc-[A-Za-z0-9]{6}$/;
/** Prefix until the owner listens: another start treats a directory without a listening owner as abandoned. */
const STARTING = "gwc-start-";
/** Age in ms of a directory with that prefix after which its start must have been killed. */
const STARTING_MS = 60_000;
/** Socket of the process that owns the run, so that others can tell whether it lives; a process id would not. */
const OWNER = "owner.sock";

/** Creates the directory of this run, and removes those of runs that were killed or lost power. */
export async function claimRunDirectory(): Promise<RunDirectory> {
  const starting = mkdtempSync(join(tmpdir(), STARTING));
  const { server, fault } = await listenAsOwner(join(starting, OWNER));
  // A file system without sockets: the directory is then removed only at a graceful end.
  if (fault) log("run_directory_not_locked", { directory: join(starting, OWNER), reason: fault.message });
  const path = join(tmpdir(), `gwc-${starting.slice(-6)}`);
  renameSync(starting, path);
  // A failure to remove the rest of another run must not keep this one from starting.
  await removeAbandoned(path).catch((error: Error) =>
    log("run_directory_not_removed", { reason: error.message }),
  );
  return {
    path,
    release() {
      server.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

async function removeAbandoned(own: string): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    if (path === own || !(NAME.test(name) || name.startsWith(STARTING)) || !isMine(path)) continue;
    const isAbandoned = NAME.test(name)
      ? (await ownerFault(join(path, OWNER))) === "ECONNREFUSED"
      : isOverdue(path);
    if (!isAbandoned) continue;
    rmSync(path, { recursive: true, force: true });
    log("run_directory_removed", { directory: path });
  }
}

/** Private directory of this user: where all users write, links of others must not be followed. */
function isMine(path: string): boolean {
  try {
    const { uid, mode } = lstatSync(path);
    return uid === process.getuid?.() && (mode & 0o170777) === 0o040700;
  } catch {
    return false;
  }
}

/** Reports whether the start that made a directory must have been killed; false for a path that is gone. */
function isOverdue(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STARTING_MS;
}
