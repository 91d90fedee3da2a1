import { joined, type Range } from "./charset.js";
import { CASE_PAIRS, CASE_SETS } from "./folding.gen.js";

const CASE_BIT = 0x20;

/**
 * Adds the other cases. Without option `u` PCRE knows only ASCII letters. With it, PCRE uses the simple case
 * folding of Unicode 14, where `k` is also the Kelvin sign and `s` the long s.
 */
export function foldRanges(ranges: readonly Range[], utf: boolean): Range[] {
  const out: Range[] = [...ranges];
  for (const [from, to] of ranges) {
    addShifted(out, Math.max(from, 0x41), Math.min(to, 0x5a), CASE_BIT);
    addShifted(out, Math.max(from, 0x61), Math.min(to, 0x7a), -CASE_BIT);
    if (utf) addUnicodeCases(out, from, to);
  }
  return joined(out);
}

/** A backreference to a character with another case depends on more than the bytes of its text. */
export function hasCases(ranges: readonly Range[], utf: boolean): boolean {
  const size = (all: readonly Range[]) => all.reduce((total, [from, to]) => total + to - from + 1, 0);
  return ranges.some((range) => {
    const lone = foldRanges([[range[0], range[0]]], utf);
    return size(lone) > 1 || (range[0] < range[1] && touchesCases(range, utf));
  });
}

function touchesCases([from, to]: Range, utf: boolean): boolean {
  if (from <= 0x7a && to >= 0x41) return true;
  return utf && to >= 0x80;
}

function addShifted(out: Range[], from: number, to: number, by: number): void {
  if (from <= to) out.push([from + by, to + by]);
}

function addUnicodeCases(out: Range[], from: number, to: number): void {
  for (const [first, last, stride, distance] of CASE_PAIRS) {
    addPairs(out, { from, to }, { first, last, stride, by: distance });
    addPairs(out, { from, to }, { first: first + distance, last: last + distance, stride, by: -distance });
  }
  for (const set of CASE_SETS)
    if (set.some((code) => from <= code && code <= to)) out.push(...set.map((code): Range => [code, code]));
}

interface Row {
  first: number;
  last: number;
  stride: number;
  by: number;
}

function addPairs(
  out: Range[],
  wanted: { from: number; to: number },
  { first, last, stride, by }: Row,
): void {
  if (wanted.to < first || wanted.from > last) return;
  const skipped = Math.max(0, Math.ceil((wanted.from - first) / stride));
  const start = first + skipped * stride;
  const end = Math.min(last, wanted.to);
  if (stride === 1) addShifted(out, start, end, by);
  else for (let code = start; code <= end; code += stride) out.push([code + by, code + by]);
}
