/** Undo log: what a write changed can be taken back, in reverse, until it is committed. */
export class Journal {
  #undo: (() => void)[] = [];

  /** Sets or, with undefined, deletes an entry of a map. */
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
    this.#undo.push(undo);
  }

  commit(): void {
    this.#undo = [];
  }

  rollback(): void {
    for (const step of this.#undo.reverse()) step();
    this.#undo = [];
  }
}
