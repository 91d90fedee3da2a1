import { joined, type Range } from "./charset.js";

const CASE_BIT = 0x20;

/** Adds to each letter its other cases: only ASCII letters without option `u`. */
export function foldRanges(ranges: readonly Range[], utf: boolean): Range[] {
  const out: Range[] = [...ranges];
  for (const [from, to] of ranges) {
    addShifted(out, Math.max(from, 0x41), Math.min(to, 0x5a), CASE_BIT);
    addShifted(out, Math.max(from, 0x61), Math.min(to, 0x7a), -CASE_BIT);
  }
  return utf ? out : joined(out);
}

function addShifted(out: Range[], from: number, to: number, by: number): void {
  if (from <= to) out.push([from + by, to + by]);
}
