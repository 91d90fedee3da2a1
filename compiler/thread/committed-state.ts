import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import type { Change, StoredResource } from "../model/input.js";
import type { LoadedPackage } from "../model/package.js";
import type { ResourceName } from "../model/resource.js";
import type { CompiledChange, ReadFiles } from "./compiler-rpc.js";
import { readFiles } from "./read-files.js";
import type { ThreadLine } from "./thread-line.js";

type PendingChange =
  | { changes: readonly Change[]; absent: CompiledChange["absent"] }
  | { files: ReadFiles; without: readonly ResourceName[] };

/** State from which a new thread continues where the old one ended. */
export class CommittedState {
  readonly #directory: string;
  readonly #policy: string | undefined;
  #files: ReadFiles | undefined;
  #packages: readonly LoadedPackage[] = [];
  readonly #stored = new Map<string, StoredResource>();
  #pending: PendingChange | undefined;

  constructor(directory: string, policy: string | undefined) {
    this.#directory = directory;
    this.#policy = policy;
  }

  read(paths: readonly string[], built?: readonly BuiltResource[]): ReadFiles {
    return { ...readFiles(paths, this.#directory, this.#policy), ...(built && { built }) };
  }

  storedBut(without: readonly ResourceName[]): StoredResource[] {
    const names = new Set(without.map(({ kind, id }) => `${kind}/${id}`));
    return [...this.#stored].flatMap(([name, entry]) => (names.has(name) ? [] : [entry]));
  }

  /** Records a successful load: one that ended the thread is not replayed to the next one. */
  loaded(files: ReadFiles, stored: readonly StoredResource[], packages: readonly LoadedPackage[]): void {
    this.#files = files;
    this.#packages = packages;
    this.#pending = undefined;
    this.#stored.clear();
    for (const entry of stored) this.#stored.set(`${entry.kind}/${entry.id}`, entry);
  }

  offered(change: PendingChange, accepted: boolean): void {
    this.#pending = accepted ? change : undefined;
  }

  discard(): void {
    this.#pending = undefined;
  }

  commit(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending) return;
    if ("files" in pending) {
      this.#files = pending.files;
      for (const { kind, id } of pending.without) this.#stored.delete(`${kind}/${id}`);
      return;
    }
    for (const change of pending.changes) {
      const { kind, id } = "put" in change ? change.put : change.remove;
      if ("put" in change)
        this.#stored.set(`${kind}/${id}`, { kind, id, value: JSON.parse(change.put.text) as unknown });
      else this.#stored.delete(`${kind}/${id}`);
    }
    for (const { kind, id } of pending.absent) this.#stored.set(`${kind}/${id}`, { kind, id, value: null });
  }

  /**
   * Restores the state in a new thread. The pending change died with the old thread: its caller received an
   * error and will not commit it. If the new thread ends as well, there is no other attempt before the next
   * `load`.
   */
  replay(line: ThreadLine): void {
    this.#pending = undefined;
    const files = this.#files;
    if (!files) return;
    this.#files = undefined;
    this.#send(line, files)
      .then(() => {
        this.#files ??= files;
      })
      .catch((error: unknown) => {
        const reason = messageOf(error);
        const isOther = error instanceof PackagesChangedError;
        line.refuse(isOther ? reason : `the compiler ended twice, restart the gateway: ${reason}`);
      });
  }

  async #send(line: ThreadLine, files: ReadFiles): Promise<void> {
    const begun = line.call("begin", [files]);
    const loaded = line.call("load", [files, [...this.#stored.values()]]);
    // A thread that ends rejects both promises, and only the first is awaited then.
    loaded.catch(() => {});
    const { packages } = await begun;
    const other = this.#packages.find(({ root, hash }) => hashOf(packages, root) !== hash);
    // Workers loaded the packages at the start: modules of other versions would not fit.
    if (other !== undefined)
      throw new PackagesChangedError(`"${other.name}" has changed since the start; restart the gateway`);
    await loaded;
  }
}

class PackagesChangedError extends Error {}

const hashOf = (packages: readonly LoadedPackage[], root: string) =>
  packages.find((one) => one.root === root)?.hash;
