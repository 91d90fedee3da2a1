import { type FSWatcher, watch } from "node:fs";

const listeners = new Map<string, Set<() => void>>();

/** Wakes the listeners of `path` in this process; other processes are woken by the kernel. */
export function wake(path: string): void {
  for (const heard of listeners.get(path) ?? []) heard();
}

/** Calls `heard` when a file in a directory changes: `wake` reports changes by this process, inotify others. */
export class DirectoryWakeup {
  readonly #path: string;
  readonly #matters: (name: string) => boolean;
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined = undefined;

  constructor(path: string, matters: (name: string) => boolean, heard: () => void) {
    this.#path = path;
    this.#matters = matters;
    this.#onChange = heard;
    const all = listeners.get(path) ?? new Set();
    listeners.set(path, all.add(heard));
    this.watch();
  }

  /** False if the kernel does not watch (no directory yet, too many watches): then the owner has to poll. */
  get watching(): boolean {
    return this.#watcher !== undefined;
  }

  watch(): void {
    if (this.#watcher !== undefined) return;
    try {
      const watcher = watch(this.#path, { persistent: false }, (event, name) => {
        // The directory itself was renamed or removed; a new one of its name is another directory.
        if (event === "rename" && name !== null && this.#path.endsWith(`/${name}`)) this.#unwatch();
        if (name === null || this.#matters(name)) this.#onChange();
      });
      watcher.on("error", () => this.#unwatch());
      this.#watcher = watcher;
    } catch {
      // `watching` reports it.
    }
  }

  close(): void {
    this.#unwatch();
    const all = listeners.get(this.#path);
    all?.delete(this.#onChange);
    if (all?.size === 0) listeners.delete(this.#path);
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
