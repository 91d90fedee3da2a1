import { type FSWatcher, watch } from "node:fs";

/** Who listens in this process, by path. */
const listeners = new Map<string, Set<() => void>>();

/** Tells who listens to `path` in this process that something is there; other processes hear it from the kernel. */
export function wake(path: string): void {
  for (const heard of listeners.get(path) ?? []) heard();
}

/**
 * Calls `heard` when something changes in a directory, whoever does it: this process rings, and the kernel tells of others
 * (inotify). A destination that nothing is written for costs nothing then.
 */
export class DirectoryWakeup {
  readonly #path: string;
  readonly #matters: (name: string) => boolean;
  readonly #heard: () => void;
  #watcher: FSWatcher | undefined = undefined;

  /** @param matters whether the file with that name is what is listened for */
  constructor(path: string, matters: (name: string) => boolean, heard: () => void) {
    this.#path = path;
    this.#matters = matters;
    this.#heard = heard;
    const all = listeners.get(path) ?? new Set();
    listeners.set(path, all.add(heard));
    this.watch();
  }

  /** False where the kernel does not tell (no directory yet, too many watches): then somebody has to look now and then. */
  get watching(): boolean {
    return this.#watcher !== undefined;
  }

  /** Tries again to be told. */
  watch(): void {
    if (this.#watcher !== undefined) return;
    try {
      const watcher = watch(this.#path, { persistent: false }, (event, name) => {
        // The directory itself was renamed or removed; what has its name next is another one.
        if (event === "rename" && name !== null && this.#path.endsWith(`/${name}`)) this.#unwatch();
        if (name === null || this.#matters(name)) this.#heard();
      });
      watcher.on("error", () => this.#unwatch());
      this.#watcher = watcher;
    } catch {
      // `watching` says so.
    }
  }

  close(): void {
    this.#unwatch();
    const all = listeners.get(this.#path);
    all?.delete(this.#heard);
    if (all?.size === 0) listeners.delete(this.#path);
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
