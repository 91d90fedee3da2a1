import { type CharSet, LAST_CODE_POINT, type Range } from "../charset.js";
import { TooLargeError } from "./positions.js";

export const NONE = 0;

/** Maximum words of all labels: 17,000 labels and 40 MB with 3,800 characters that sets distinguish. */
const MAX_WORDS = 2_000_000;
/** Larger than the number of labels: each takes a step of the analysis. */
const MAX_LABELS = 2 ** 21;

/**
 * Character sets of one pattern as small numbers. Characters that no set distinguishes form one class; a set
 * with Unicode properties counts as all characters.
 */
export class Labels {
  readonly #starts: readonly number[];
  readonly #masks: Uint32Array[] = [];
  readonly #numbers = new Map<string | number, number>();
  readonly #met = new Map<number, number>();
  readonly #ofSets = new Map<CharSet, number>();
  readonly everything: number;
  readonly classes: readonly number[];

  constructor(sets: Iterable<CharSet>) {
    const cuts = new Set<number>([0]);
    for (const { ranges } of sets)
      for (const [from, to] of ranges) {
        cuts.add(from);
        if (to < LAST_CODE_POINT) cuts.add(to + 1);
      }
    this.#starts = [...cuts].sort((a, b) => a - b);
    this.classes = [...this.#starts.keys()];
    this.#intern(new Uint32Array(this.#words));
    this.everything = this.#ofRanges([[0, LAST_CODE_POINT]]);
  }

  of(set: CharSet): number {
    if (set.properties.length > 0 || set.negated) return this.everything;
    let label = this.#ofSets.get(set);
    if (label === undefined) this.#ofSets.set(set, (label = this.#ofRanges(set.ranges)));
    return label;
  }

  /** @throws TooLargeError */
  meet(a: number, b: number): number {
    if (a === NONE || b === NONE) return NONE;
    if (a === b || b === this.everything) return a;
    if (a === this.everything) return b;
    const key = a < b ? a * MAX_LABELS + b : b * MAX_LABELS + a;
    const known = this.#met.get(key);
    if (known !== undefined) return known;
    const result = this.#combined(a, b, (x, y) => x & y);
    this.#met.set(key, result);
    return result;
  }

  fits(label: number, each: number): boolean {
    return ((this.#masks[label]?.[each >> 5] ?? 0) & (1 << (each & 31))) !== 0;
  }

  classesOf(label: number): number[] {
    const found: number[] = [];
    for (const [i, word] of (this.#masks[label] ?? []).entries())
      for (let bits = word; bits !== 0; bits &= bits - 1) found.push(32 * i + 31 - Math.clz32(bits & -bits));
    return found;
  }

  without(a: number, b: number): number {
    return this.#combined(a, b, (x, y) => x & ~y);
  }

  sample(label: number): string {
    let code: number | undefined;
    for (const i of this.classes) {
      if (!this.fits(label, i)) continue;
      const from = this.#starts[i] ?? 0;
      const to = (this.#starts[i + 1] ?? LAST_CODE_POINT + 1) - 1;
      const printable = Math.max(from, 0x21);
      if (printable <= Math.min(to, 0x7e))
        return String.fromCharCode(printable <= 0x61 && to >= 0x61 ? 0x61 : printable);
      code ??= from;
    }
    return String.fromCodePoint(code ?? 0x21);
  }

  /** A byte that does not fit. @returns undefined if all of them fit */
  other(label: number): string | undefined {
    for (const code of [0x21, 0x0a, 0x61, 0x7e, 0x00, 0xff])
      if (!this.fits(label, this.#classOf(code))) return String.fromCharCode(code);
    return undefined;
  }

  get #words(): number {
    return (this.#starts.length + 31) >> 5;
  }

  #classOf(code: number): number {
    return this.#firstFrom(code + 1) - 1;
  }

  #firstFrom(code: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < code) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #ofRanges(ranges: readonly Range[]): number {
    const mask = new Uint32Array(this.#words);
    for (const [from, to] of ranges) {
      const end = this.#firstFrom(to + 1);
      for (let i = this.#firstFrom(from); i < end; i++) mask[i >> 5] = (mask[i >> 5] ?? 0) | (1 << (i & 31));
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
    // Most patterns have at most 32 classes: a number is a faster key.
    const key = mask.length === 1 ? (mask[0] ?? 0) : Buffer.from(mask.buffer).toString("latin1");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#masks.length;
    if (number * mask.length > MAX_WORDS) throw new TooLargeError();
    this.#masks.push(mask);
    this.#numbers.set(key, number);
    return number;
  }
}
