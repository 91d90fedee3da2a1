/**
 * Undo log of a write, until it is committed. A configuration that is compiled as a whole is dropped if it
 * fails, so nothing is recorded before the first commit.
 */
export class Journal {
  #undo: (() => void)[] | undefined;

  /** Undefined deletes the entry. */
  set<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const previous = map.get(key);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
    this.record(() => {
      if (previous === undefined) map.delete(key);
      else map.set(key, previous);
    });
  }

  record(undo: () => void): void {
    this.#undo?.push(undo);
  }

  commit(): void {
    this.#undo = [];
  }

  rollback(): void {
    for (const step of (this.#undo ?? []).reverse()) step();
    this.#undo = [];
  }
}
