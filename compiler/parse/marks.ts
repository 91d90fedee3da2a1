import type { Path } from "./source.js";

/** Offsets of one parsed value (`end` exclusive) and of its parts. */
export interface NodeSpan {
  start: number;
  end: number;
  keys?: Map<string, MarkedKey>;
  items?: NodeSpan[];
  /** A number as it is written, where that says more than the number: "1.10", "0123". */
  written?: string;
}

export interface MarkedKey {
  start: number;
  end: number;
  value: NodeSpan;
}

/** A value and where its parts stand, as a parser hands it over. */
export interface Parsed {
  value: unknown;
  mark: NodeSpan;
  /** Of a whole document; absent: none, or not looked for. */
  lossy?: readonly LossyNumber[];
}

/** A number of a source whose spelling says more than its value. */
export interface LossyNumber {
  path: Path;
  written: string;
}

/** All of them below a mark. */
export function lossyNumbersIn(mark: NodeSpan, path: Path = []): LossyNumber[] {
  if (mark.written !== undefined) return [{ path, written: mark.written }];
  const fields = [...(mark.keys ?? [])].flatMap(([name, { value }]) =>
    lossyNumbersIn(value, [...path, name]),
  );
  const items = (mark.items ?? []).flatMap((item, index) => lossyNumbersIn(item, [...path, index]));
  return [...fields, ...items];
}
