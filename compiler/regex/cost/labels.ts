import { type CharSet, LAST_CODE_POINT, type Range } from "../charset.js";

/** The label that no character fits. */
export const NONE = 0;

/**
 * The character sets of one pattern as small numbers, and what two of them share. Characters that no set tells apart are
 * one class; a set with Unicode properties stands for all characters.
 */
export class Labels {
  readonly #starts: readonly number[];
  readonly #masks: Uint32Array[] = [];
  readonly #numbers = new Map<string | number, number>();
  readonly #met = new Map<number, number>();
  readonly everything: number;

  constructor(sets: Iterable<CharSet>) {
    const cuts = new Set<number>([0]);
    for (const { ranges } of sets)
      for (const [from, to] of ranges) {
        cuts.add(from);
        if (to < LAST_CODE_POINT) cuts.add(to + 1);
      }
    this.#starts = [...cuts].sort((a, b) => a - b);
    this.#intern(new Uint32Array(this.#words));
    this.everything = this.#ofRanges([[0, LAST_CODE_POINT]]);
  }

  of(set: CharSet): number {
    return set.properties.length > 0 || set.negated ? this.everything : this.#ofRanges(set.ranges);
  }

  meet(a: number, b: number): number {
    if (a === NONE || b === NONE) return NONE;
    if (a === b || b === this.everything) return a;
    if (a === this.everything) return b;
    const key = a < b ? a * 65_536 + b : b * 65_536 + a;
    const known = this.#met.get(key);
    if (known !== undefined) return known;
    const result = this.#combined(a, b, (x, y) => x & y);
    this.#met.set(key, result);
    return result;
  }

  /** Reports whether some character fits both. */
  overlap(a: number, b: number): boolean {
    const [left, right] = [this.#masks[a], this.#masks[b]];
    return left?.some((word, i) => (word & (right?.[i] ?? 0)) !== 0) === true;
  }

  without(a: number, b: number): number {
    return this.#combined(a, b, (x, y) => x & ~y);
  }

  /** A character that fits; a printable one where there is one. */
  sample(label: number): string {
    const mask = this.#masks[label];
    let code: number | undefined;
    for (let i = 0; i < this.#starts.length; i++) {
      if (((mask?.[i >> 5] ?? 0) & (1 << (i & 31))) === 0) continue;
      const from = this.#starts[i] ?? 0;
      const to = (this.#starts[i + 1] ?? LAST_CODE_POINT + 1) - 1;
      const printable = Math.max(from, 0x21);
      if (printable <= Math.min(to, 0x7e))
        return String.fromCharCode(printable <= 0x61 && to >= 0x61 ? 0x61 : printable);
      code ??= from;
    }
    return String.fromCodePoint(code ?? 0x21);
  }

  /** A byte that does not fit; undefined when all do. */
  other(label: number): string | undefined {
    for (const code of [0x21, 0x0a, 0x61, 0x7e, 0x00, 0xff])
      if (this.meet(label, this.#ofCode(code)) === NONE) return String.fromCharCode(code);
    return undefined;
  }

  /** Labels, one for each class of characters. */
  classes(): number[] {
    return this.#starts.map((start) => this.#ofCode(start));
  }

  get #words(): number {
    return (this.#starts.length + 31) >> 5;
  }

  #ofCode(code: number): number {
    let low = 0;
    for (let i = 0; i < this.#starts.length && (this.#starts[i] ?? 0) <= code; i++) low = i;
    const mask = new Uint32Array(this.#words);
    mask[low >> 5] = 1 << (low & 31);
    return this.#intern(mask);
  }

  #ofRanges(ranges: readonly Range[]): number {
    const mask = new Uint32Array(this.#words);
    let range = 0;
    for (let i = 0; i < this.#starts.length; i++) {
      const start = this.#starts[i] ?? 0;
      while (range < ranges.length && (ranges[range]?.[1] ?? 0) < start) range++;
      if ((ranges[range]?.[0] ?? Number.POSITIVE_INFINITY) <= start)
        mask[i >> 5] = (mask[i >> 5] ?? 0) | (1 << (i & 31));
    }
    return this.#intern(mask);
  }

  #combined(a: number, b: number, of: (x: number, y: number) => number): number {
    const [left, right] = [this.#masks[a], this.#masks[b]];
    const mask = new Uint32Array(this.#words);
    for (let i = 0; i < mask.length; i++) mask[i] = of(left?.[i] ?? 0, right?.[i] ?? 0);
    return this.#intern(mask);
  }

  #intern(mask: Uint32Array): number {
    // Most patterns have at most 32 classes: a number is found sooner than its digits.
    const key = mask.length === 1 ? (mask[0] ?? 0) : mask.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#masks.length;
    this.#masks.push(mask);
    this.#numbers.set(key, number);
    return number;
  }
}
