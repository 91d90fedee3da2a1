import { type CharSet, complement, joined, LAST_CODE_POINT, type Range, single } from "../charset.js";
import { escapeClass, LINE_FEED } from "../classes.js";
import type { Part } from "./part.js";

/**
 * Structure of a part without the accidental characters of its sets: `node-12-[0-9]+` and `host_34_[0-9]+`
 * are searched alike. Only shared characters, word characters and line feeds affect the number of paths.
 */
export interface Shape {
  key: string;
  part(): Part;
}

const WORD: readonly Range[] = escapeClass("w", false)?.ranges ?? [];
const LINE: readonly Range[] = single(LINE_FEED).ranges;
const OTHERS: readonly Range[] = complement(joined([...WORD, ...LINE]), LAST_CODE_POINT);

/**
 * Maximum distinct sets: finding the kinds of characters takes the square of their number, which no budget
 * counts. With the two sets of guards they are bits of one number.
 */
const MAX_SETS = 50;

/** @returns undefined for a part with too many distinct sets */
export function shapeOf(part: Part): Shape | undefined {
  const sets = new Sets();
  const written = writtenPart(part, sets);
  if (sets.ranges.length > MAX_SETS) return undefined;
  const all = [...sets.ranges, ...(sets.guards === 0 ? [] : [WORD, LINE])];
  const kinds = kindsOfCharacters(all);
  const characters = () => charactersOf(kinds, sets.guards === 0 ? undefined : sets.ranges.length);
  return { key: `${kinds.join()} ${written}`, part: () => rewritten(part, sets, characters()) };
}

class Sets {
  readonly ranges: (readonly Range[])[] = [];
  /** Guards of the part; 0: word characters and line feeds are not special. */
  guards = 0;
  readonly #numbers = new Map<string | number, number>();

  number(ranges: readonly Range[]): number {
    const key = keyOf(ranges);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.ranges.push(ranges) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** Most sets are a single range: its digits would take half of the time for a shape. */
function keyOf(ranges: readonly Range[]): string | number {
  const [first, second] = ranges;
  if (first === undefined || second !== undefined) return ranges.join();
  return first[0] * (LAST_CODE_POINT + 1) + first[1];
}

function writtenPart(part: Part, sets: Sets): string {
  const set = ({ ranges, properties, negated }: CharSet) =>
    `${sets.number(ranges)}${negated ? "^" : ""}${properties.join("")}`;
  const stop = (notThen: CharSet | undefined) => (notThen === undefined ? "" : `!${set(notThen)}`);
  const weight = (steps: number | undefined) => (steps === undefined ? "" : `*${steps}`);
  switch (part.kind) {
    case "set":
      return `s${set(part.set)}${weight(part.weight)}`;
    case "guard":
      sets.guards |= part.guard;
      return `g${part.guard}${weight(part.weight)}`;
    case "sequence":
      return `(${part.items.map((item) => writtenPart(item, sets)).join(" ")})`;
    case "choice":
      return `[${part.branches.map((branch) => writtenPart(branch, sets)).join(" ")}]`;
    case "repeat":
      return `r${part.min},${part.max}${weight(part.weight)}${stop(part.notThen)}{${writtenPart(part.body, sets)}}`;
    case "once":
      return `o${part.empty ? "?" : ""}${set(part.set)}${stop(part.notThen)}`;
  }
}

/** Each kind is the sum of 2 to the power of each set that contains it. */
function kindsOfCharacters(sets: readonly (readonly Range[])[]): number[] {
  const cuts = [0];
  for (const ranges of sets)
    for (const [from, to] of ranges) {
      cuts.push(from);
      if (to < LAST_CODE_POINT) cuts.push(to + 1);
    }
  // Plain arrays: most patterns have about 20 of them, and typed ones take half as long again for so few.
  const starts = cuts.sort((a, b) => a - b);
  const kinds = new Array<number>(starts.length).fill(0);
  for (const [number, ranges] of sets.entries()) {
    let at = 0;
    for (const [from, to] of ranges) {
      while ((starts[at] ?? to) < from) at++;
      for (; (starts[at] ?? Number.POSITIVE_INFINITY) <= to; at++) kinds[at] = (kinds[at] ?? 0) + 2 ** number;
    }
  }
  return [...new Set(kinds)].sort((a, b) => a - b);
}

function setsOf(kind: number): number[] {
  const sets: number[] = [];
  for (let [left, number] = [kind, 0]; left > 0; left = Math.floor(left / 2), number++)
    if (left % 2 === 1) sets.push(number);
  return sets;
}

/**
 * One character for each kind. The last kind of word characters, and of others, has all the rest.
 * @param guarded number of the set of word characters; that of line feeds follows
 */
function charactersOf(kinds: readonly number[], guarded: number | undefined): ReadonlyMap<number, Range[]> {
  const left: Range[][] =
    guarded === undefined ? [[[0, LAST_CODE_POINT]]] : [[...OTHERS], [...WORD], [...LINE]];
  const members = kinds.map(setsOf);
  const groups = members.map((sets) => {
    if (guarded === undefined) return 0;
    return sets.includes(guarded) ? 1 : sets.includes(guarded + 1) ? 2 : 0;
  });
  const characters = new Map<number, Range[]>();
  for (const [i, sets] of members.entries()) {
    const group = groups[i] ?? 0;
    const isLast = groups.lastIndexOf(group) === i;
    const own = isLast ? (left[group] ?? []) : [firstOf(left[group] ?? [])];
    for (const set of sets) {
      const known = characters.get(set);
      if (known === undefined) characters.set(set, [...own]);
      else known.push(...own);
    }
  }
  return characters;
}

function firstOf(ranges: Range[]): Range {
  const [[from, to] = [0, 0], ...rest] = ranges;
  ranges.splice(0, ranges.length, ...(from < to ? [[from + 1, to] as const] : []), ...rest);
  return [from, from];
}

function rewritten(part: Part, sets: Sets, characters: ReadonlyMap<number, Range[]>): Part {
  const set = (one: CharSet): CharSet => ({
    ...one,
    ranges: joined(characters.get(sets.number(one.ranges)) ?? []),
  });
  const inside = (one: Part): Part => rewritten(one, sets, characters);
  const stop = "notThen" in part && part.notThen !== undefined ? { notThen: set(part.notThen) } : {};
  switch (part.kind) {
    case "set":
      return { ...part, set: set(part.set) };
    case "guard":
      return part;
    case "sequence":
      return { ...part, items: part.items.map(inside) };
    case "choice":
      return { ...part, branches: part.branches.map(inside) };
    case "repeat":
      return { ...part, body: inside(part.body), ...stop };
    case "once":
      return { ...part, set: set(part.set), ...stop };
  }
}
