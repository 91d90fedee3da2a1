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
