import {
  close,
  constants,
  fdatasync,
  fstat,
  open,
  read,
  renameSync,
  type Stats,
  stat,
  statSync,
  write,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { messageOf } from "../../../runtime/abi/plugin-api.js";

/** Suffix of rotated files: UTC time and process id. Their alphabetical order is chronological. */
const RENAMED = /^\.\d{8}T\d{9}Z-\d+$/;

let lastMs = 0;

/** `.20261125T184019123Z-4711`; never the same twice in a process. */
function suffix(): string {
  lastMs = Math.max(Date.now(), lastMs + 1);
  return `.${new Date(lastMs).toISOString().replace(/[-:.]/g, "")}-${process.pid}`;
}

/**
 * Renames a full file, unless another process has. Both steps run synchronously: two workers that see a full
 * file at once are microseconds apart, and the later one finds another file. Otherwise it renames that one
 * under a name of its own: nothing is ever overwritten.
 * @param full the file that was found to be full
 */
function renameFull(path: string, full: Stats): void {
  const now = statSync(path);
  if (isSame(now, full)) renameSync(path, `${path}${suffix()}`);
}

/** Several processes may remove files at once. */
async function removeOldest(path: string, keep: number): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const renamed = (await readdir(folder))
    .filter((one) => one.startsWith(name) && RENAMED.test(one.slice(name.length)))
    .sort();
  for (const one of renamed.slice(0, Math.max(0, renamed.length - keep)))
    await rm(join(folder, one), { force: true });
}

const isSame = (one: Pick<Stats, "ino" | "dev">, other: Pick<Stats, "ino" | "dev">): boolean =>
  one.ino === other.ino && one.dev === other.dev;

const system = {
  open: promisify(open),
  close: promisify(close),
  stat: promisify(stat),
  fstat: promisify(fstat),
  read: promisify(read),
  write: promisify(write),
  sync: promisify(fdatasync),
};

/** The process's own outputs: a socket, such as the journal of systemd, cannot be opened by name. */
const OUTPUTS: Readonly<Record<string, number>> = { "/dev/stdout": 1, "/dev/stderr": 2 };
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;
const MODE = 0o640;
const LF = 0x0a;
/** A write of 4 MiB to the page cache takes a millisecond. */
const PAUSE_MS = 5;
const TRIES = 20;

export interface LogFileSettings {
  readonly path: string;
  /** Absent: the file is never rotated here. */
  readonly maxBytes?: number;
  /** Number of rotated files; the schema requires it with `maxBytes`. */
  readonly keep?: number;
}

interface Open {
  readonly descriptor: number;
  readonly found: Stats;
}

/**
 * Several processes may append to the file, and anybody may rename it. Each write first checks that the name
 * still refers to the open file. So a rename by logrotate, another worker or by hand moves the next batch to
 * a new file.
 */
export class LogFile {
  readonly #settings: LogFileSettings;
  readonly #notRotated: (reason: string) => void;
  #open: Open | undefined;

  /** @param notRotated called if a full file cannot be renamed; writes go on to it */
  constructor(settings: LogFileSettings, notRotated: (reason: string) => void) {
    this.#settings = settings;
    this.#notRotated = notRotated;
  }

  /** Only a regular file is locked per write: writes of any length are atomic among processes. */
  get isRegular(): boolean {
    return this.#open?.found.isFile() ?? true;
  }

  /** Opens and rotates. @returns true if the file ends inside a line, after a full disk or a crash of the machine */
  async prepare(bytes: number): Promise<boolean> {
    const { path } = this.#settings;
    if (OUTPUTS[path] !== undefined) {
      await this.#opened();
      return false;
    }
    let named = await this.#named();
    if (named !== undefined && this.#isFull(named, bytes)) {
      await this.#rotate(named);
      named = await this.#named();
    }
    if (named === undefined || this.#open === undefined || !isSame(named, this.#open.found)) {
      await this.close();
      named = (await this.#opened()).found;
    }
    return named.isFile() && (await this.#isTorn(named.size));
  }

  /** @returns number of bytes written */
  async write(bytes: Buffer): Promise<number> {
    const { descriptor } = await this.#opened();
    return (await system.write(descriptor, bytes, 0, bytes.length, null)).bytesWritten;
  }

  /** Resolves when the written bytes are on disk. */
  async flush(): Promise<void> {
    if (this.#open !== undefined && this.isRegular) await system.sync(this.#open.descriptor);
  }

  async close(): Promise<void> {
    const { descriptor } = this.#open ?? {};
    this.#open = undefined;
    if (descriptor !== undefined && descriptor !== OUTPUTS[this.#settings.path])
      await system.close(descriptor);
  }

  async #opened(): Promise<Open> {
    if (this.#open !== undefined) return this.#open;
    const { path } = this.#settings;
    const descriptor = OUTPUTS[path] ?? (await system.open(path, await this.#flags(), MODE));
    this.#open = { descriptor, found: await system.fstat(descriptor) };
    return this.#open;
  }

  /** A pipe is opened write-only: one without a reader is an error. Others need reading for their last byte. */
  async #flags(): Promise<number> {
    const special = (await this.#named())?.isFile() === false;
    return O_APPEND | O_NONBLOCK | (special ? O_WRONLY : O_RDWR | O_CREAT);
  }

  async #named(): Promise<Stats | undefined> {
    try {
      return await system.stat(this.#settings.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #isFull(named: Stats, bytes: number): boolean {
    const { maxBytes } = this.#settings;
    return maxBytes !== undefined && named.isFile() && named.size > 0 && named.size + bytes > maxBytes;
  }

  async #rotate(full: Stats): Promise<void> {
    const { path, keep } = this.#settings;
    try {
      renameFull(path, full);
      if (keep !== undefined) await removeOldest(path, keep);
    } catch (error) {
      // ENOENT: another process renamed it first.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#notRotated(messageOf(error));
    }
  }

  /** Only an end inside a line that stays counts: the size may be from the middle of another's write. */
  async #isTorn(size: number): Promise<boolean> {
    let seen = size;
    for (let tries = 0; tries < TRIES; tries++) {
      if (seen === 0 || (await this.#lastByte(seen)) === LF) return false;
      await wait(PAUSE_MS);
      const now = (await system.fstat((await this.#opened()).descriptor)).size;
      if (now === seen) return true;
      seen = now;
    }
    return false;
  }

  async #lastByte(size: number): Promise<number | undefined> {
    const { descriptor } = await this.#opened();
    const byte = Buffer.alloc(1);
    const { bytesRead } = await system.read(descriptor, byte, 0, 1, size - 1);
    // Truncated in the meantime (copytruncate): it starts empty.
    return bytesRead === 0 ? LF : byte[0];
  }
}
