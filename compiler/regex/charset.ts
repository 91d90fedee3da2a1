/**
 * Sorted, disjoint and non-adjacent code points (bytes without option `u`). Unicode properties stay names
 * until they are printed: JavaScript has the same ones.
 */
export type Range = readonly [from: number, to: number];

export interface CharSet {
  ranges: readonly Range[];
  /** Property escapes in JavaScript's notation, `\p{L}` or `\P{L}`; empty without option `u`. */
  properties: readonly string[];
  /** Everything except `ranges` and `properties`. True only with properties; otherwise the ranges are inverted. */
  negated: boolean;
}

export const LAST_BYTE = 0xff;
export const LAST_CODE_POINT = 0x10ffff;

/** Code points for bytes that are no UTF-8: DC80 for 80. No character of a pattern may match one. */
export const SURROGATES: Range = [0xd800, 0xdfff];

export function single(code: number): CharSet {
  return { ranges: [[code, code]], properties: [], negated: false };
}

export function setOf(ranges: readonly Range[]): CharSet {
  return { ranges: joined(ranges), properties: [], negated: false };
}

export function joined(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = out[out.length - 1];
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

export function complement(ranges: readonly Range[], last: number): Range[] {
  const out: Range[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) out.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) out.push([next, last]);
  return out;
}

export function negate(set: CharSet, last: number): CharSet {
  if (set.properties.length > 0) return { ...set, negated: !set.negated };
  return { ranges: complement(set.ranges, last), properties: [], negated: false };
}

export function without(ranges: readonly Range[], taken: Range): Range[] {
  return ranges.flatMap(([from, to]): Range[] => {
    if (to < taken[0] || from > taken[1]) return [[from, to]];
    const left: Range[] = from < taken[0] ? [[from, taken[0] - 1]] : [];
    return to > taken[1] ? [...left, [taken[1] + 1, to]] : left;
  });
}

/** Reports whether no character can be in both. Sets with properties overlap everything. */
export function disjoint(a: CharSet, b: CharSet): boolean {
  if (a.properties.length > 0 || b.properties.length > 0) return false;
  return !a.ranges.some(([from, to]) => b.ranges.some(([low, high]) => from <= high && low <= to));
}

/** @returns undefined if the set has several */
export function onlyMember(set: CharSet): number | undefined {
  const [first, second] = set.ranges;
  if (first === undefined || second !== undefined || set.properties.length > 0 || set.negated)
    return undefined;
  return first[0] === first[1] ? first[0] : undefined;
}
