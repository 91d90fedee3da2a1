import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Polling interval in ms; no events come from network disks, mounted volumes and swapped symbolic links. */
const LOOK_MS = 500;

/** Configuration files of a directory. */
const CONFIGURATION = /\.(?:ya?ml|json)$/;

/** Folder whose files belong to its parent directory (compiler/1-parse/files.ts). */
const PARTS_FOLDER = "conf.d";

/** Leaves files that are being written alone until two polls in a row find the same state. */
export class WatchedPaths {
  readonly #paths: readonly string[];
  readonly #isBuild: boolean;
  readonly #changed: () => void;
  readonly #lookMs: number;
  readonly #mostLooks: number;
  #timer: NodeJS.Timeout | undefined;
  #first: Promise<void> | undefined;
  /** State at the last report. */
  #reported: string | undefined;
  #seen: string | undefined;
  /** Polls in a row with a state that differs from the reported one and still changes. */
  #restless = 0;

  /**
   * @param paths absolute: files, directories of them, or one build, whose top files and folder listings
   * count: a writer replaces a module's file, or writes the manifest last
   * @param mostLooks maximum polls without a stable state before a change is reported nevertheless
   */
  constructor(
    paths: readonly string[],
    isBuild: boolean,
    changed: () => void,
    lookMs = LOOK_MS,
    mostLooks = Number.POSITIVE_INFINITY,
  ) {
    this.#paths = paths;
    this.#isBuild = isBuild;
    this.#changed = changed;
    this.#lookMs = lookMs;
    this.#mostLooks = mostLooks;
  }

  /** Starts polling. @returns a promise for the first poll, whose state counts as known */
  start(): Promise<void> {
    return (this.#first ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(this.#poll()), 0);
    }));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#first = undefined;
  }

  async #poll(): Promise<void> {
    const marks = await Promise.all(this.#paths.map((path) => markOfPath(path, this.#isBuild)));
    if (this.#timer === undefined) return;
    const now = marks.join("\n");
    const resting = now === this.#seen;
    this.#seen = now;
    this.#reported ??= now;
    this.#restless = resting || now === this.#reported ? 0 : this.#restless + 1;
    if ((resting && now !== this.#reported) || this.#restless >= this.#mostLooks) {
      this.#restless = 0;
      this.#reported = now;
      this.#changed();
    }
    this.#timer = setTimeout(() => void this.#poll(), this.#lookMs);
  }
}

async function markOfPath(path: string, isBuild: boolean): Promise<string> {
  const names = await readdir(path).catch(() => undefined);
  if (names === undefined) return markOfFile(path);
  const parts = isBuild ? [] : await readdir(join(path, PARTS_FOLDER)).catch(() => []);
  const all = [...names, ...parts.map((name) => join(PARTS_FOLDER, name))];
  const counted = isBuild ? names : all.filter((name) => CONFIGURATION.test(name));
  return (await Promise.all(counted.sort().map((name) => markOfFile(join(path, name))))).join("\n");
}

/** Fingerprint of a file, or of a directory's listing. Follows symbolic links. */
async function markOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return `${path} absent`;
  }
}
