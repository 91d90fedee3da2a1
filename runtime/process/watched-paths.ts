import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Milliseconds between two looks. Looking works where no events come: network disks, mounted volumes, swapped symbolic links. */
const LOOK_MS = 500;

/** What is read of a directory of configuration files. */
const CONFIGURATION = /\.(?:ya?ml|json)$/;

/** Folder whose files belong to the directory that it is in (compiler/parse/files.ts). */
const PARTS_FOLDER = "conf.d";

/**
 * Tells when configuration files, or a build, are others than before. What is being written is left alone until two looks in a row
 * see the same.
 */
export class WatchedPaths {
  readonly #paths: readonly string[];
  readonly #isBuild: boolean;
  readonly #changed: () => void;
  readonly #lookMs: number;
  readonly #mostLooks: number;
  #timer: NodeJS.Timeout | undefined;
  #first: Promise<void> | undefined;
  /** As it was told last. */
  #told: string | undefined;
  #seen: string | undefined;
  /** Looks in a row at what differs from what was told and does not rest. */
  #restless = 0;

  /**
   * @param paths absolute: files, directories of them, or one build, of which the files at its top and the lists of its folders
   *   count: whoever writes a module anew replaces it, or writes the manifest behind it
   * @param mostLooks after so many looks without rest a change is told all the same
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

  /** @returns when the first look is over: what stood there is taken as known */
  start(): Promise<void> {
    return (this.#first ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(this.#look()), 0);
    }));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#first = undefined;
  }

  async #look(): Promise<void> {
    const marks = await Promise.all(this.#paths.map((path) => markOfPath(path, this.#isBuild)));
    if (this.#timer === undefined) return;
    const now = marks.join("\n");
    const resting = now === this.#seen;
    this.#seen = now;
    this.#told ??= now;
    this.#restless = resting || now === this.#told ? 0 : this.#restless + 1;
    if ((resting && now !== this.#told) || this.#restless >= this.#mostLooks) {
      this.#restless = 0;
      this.#told = now;
      this.#changed();
    }
    this.#timer = setTimeout(() => void this.#look(), this.#lookMs);
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

/** What tells one state of a file, or of the list of a directory, from another. Symbolic links are followed. */
async function markOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return `${path} absent`;
  }
}
