/** Distinct lengths of a set of keys, descending, with the number of keys of each. */
export class PrefixLengths {
  readonly descending: number[] = [];
  readonly #counts = new Map<number, number>();

  add(length: number): void {
    const count = this.#counts.get(length) ?? 0;
    this.#counts.set(length, count + 1);
    if (count > 0) return;
    const at = this.descending.findIndex((other) => other < length);
    this.descending.splice(at < 0 ? this.descending.length : at, 0, length);
  }

  remove(length: number): void {
    const count = this.#counts.get(length) ?? 0;
    if (count > 1) {
      this.#counts.set(length, count - 1);
      return;
    }
    this.#counts.delete(length);
    const at = this.descending.indexOf(length);
    if (at >= 0) this.descending.splice(at, 1);
  }
}
