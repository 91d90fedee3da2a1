import type { Path } from "../model/source.js";

export interface NodeSpan {
  start: number;
  end: number;
  keys?: Map<string, MarkedKey>;
  items?: NodeSpan[];
  /** Spelling of a number if it carries more than the value: "1.10", "0123". */
  written?: string;
}

export interface MarkedKey {
  start: number;
  end: number;
  value: NodeSpan;
}

export interface Parsed {
  value: unknown;
  mark: NodeSpan;
  /** Lossy numbers of a whole document; absent without any, or if not searched for. */
  lossy?: readonly LossyNumber[];
}

/** Number whose spelling in the source carries more than its value. */
export interface LossyNumber {
  path: Path;
  written: string;
}

export function lossyNumbersIn(mark: NodeSpan, path: Path = []): LossyNumber[] {
  if (mark.written !== undefined) return [{ path, written: mark.written }];
  const fields = [...(mark.keys ?? [])].flatMap(([name, { value }]) =>
    lossyNumbersIn(value, [...path, name]),
  );
  const items = (mark.items ?? []).flatMap((item, index) => lossyNumbersIn(item, [...path, index]));
  return [...fields, ...items];
}

/** Numbers of a value: start, end, index of its first member, count of members; `~count` for items of a list. */
const VALUE = 4;
/** Name, start and end of the key, value. An item has only the value. */
const FIELD = 4;

/**
 * Marks packed as numbers: 20 bytes for each value. Objects with maps took 250, a quarter of all memory with
 * 20,000 routes.
 */
export class PackedMarks {
  readonly #values: Int32Array;
  readonly #members: Int32Array;
  readonly #names: ReadonlyMap<string, number>;

  /** Packs the root as value 0. */
  constructor(root: NodeSpan) {
    const packing = new Packing();
    packing.put(root);
    this.#values = new Int32Array(packing.values);
    this.#members = new Int32Array(packing.members);
    this.#names = packing.names;
  }

  range(value: number): { start: number; end: number } {
    return { start: this.#values[value * VALUE] ?? 0, end: this.#values[value * VALUE + 1] ?? 0 };
  }

  isList(value: number): boolean {
    return (this.#values[value * VALUE + 3] ?? 0) < 0;
  }

  item(value: number, index: number): number | undefined {
    const [first, count] = this.#membersOf(value);
    return index >= 0 && index < ~count ? this.#members[first + index] : undefined;
  }

  field(value: number, key: string): { value: number; start: number; end: number } | undefined {
    const name = this.#names.get(key);
    const [first, count] = this.#membersOf(value);
    if (name === undefined || count <= 0) return undefined;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#members[first + middle * FIELD] ?? 0) < name) low = middle + 1;
      else high = middle;
    }
    const [found, start = 0, end = 0, member = 0] = this.#members.subarray(
      first + low * FIELD,
      first + (low + 1) * FIELD,
    );
    return found === name ? { value: member, start, end } : undefined;
  }

  #membersOf(value: number): readonly [first: number, count: number] {
    return [this.#values[value * VALUE + 2] ?? 0, this.#values[value * VALUE + 3] ?? 0];
  }
}

class Packing {
  readonly values: number[] = [];
  readonly members: number[] = [];
  readonly names = new Map<string, number>();
  /** Members of values that are not complete yet. */
  readonly #open: number[] = [];

  put({ start, end, keys, items }: NodeSpan): number {
    const number = this.values.length / VALUE;
    this.values.push(start, end, 0, 0);
    const from = this.#open.length;
    if (keys) {
      for (const [key, mark] of keys) {
        const value = this.put(mark.value);
        this.#open.push(this.#name(key), mark.start, mark.end, value);
      }
      this.#sortFields(from);
      this.#close(number, from, keys.size);
    } else if (items) {
      for (const item of items) {
        const value = this.put(item);
        this.#open.push(value);
      }
      this.#close(number, from, ~items.length);
    }
    return number;
  }

  /** Sorts by the numbers of their names, an order which fields usually have already. */
  #sortFields(from: number): void {
    const open = this.#open;
    let isSorted = true;
    for (let at = from + FIELD; at < open.length; at += FIELD)
      isSorted &&= (open[at - FIELD] ?? 0) < (open[at] ?? 0);
    if (isSorted) return;
    const fields: number[][] = [];
    for (let at = from; at < open.length; at += FIELD) fields.push(open.slice(at, at + FIELD));
    fields.sort(([a = 0], [b = 0]) => a - b);
    open.length = from;
    for (const field of fields) open.push(...field);
  }

  #close(number: number, from: number, count: number): void {
    this.values[number * VALUE + 2] = this.members.length;
    this.values[number * VALUE + 3] = count;
    for (let i = from; i < this.#open.length; i++) this.members.push(this.#open[i] ?? 0);
    this.#open.length = from;
  }

  #name(key: string): number {
    const known = this.names.get(key);
    if (known !== undefined) return known;
    this.names.set(key, this.names.size);
    return this.names.size - 1;
  }
}
