import type { RenderedTask } from "../../plugins/captcha/service/tasks/media.js";
import {
  added,
  assigned,
  type Seen,
  STRATEGIES,
  type Strategy,
  seen,
  table,
  tableOfWholeField,
} from "./compare.js";
import { squareAt, tonesOf } from "./picture.js";

const NAMES = Object.keys(STRATEGIES) as Strategy[];

/** Replies by each strategy, and by all together. */
export function solveShapes(task: RenderedTask, count: number): Record<string, { cells: number[] }> {
  const [grid, strip] = [tonesOf(task, "grid"), tonesOf(task, "strip")];
  const cells = Array.from({ length: 12 }, (_, i) =>
    seen(squareAt(grid, (i % 4) * 180 + 90, Math.floor(i / 4) * 160 + 80, 80)),
  );
  const slot = strip.width / count;
  const samples: Seen[] = Array.from({ length: count }, (_, i) =>
    seen(squareAt(strip, slot * (i + 0.5), strip.height / 2, 72)),
  );
  const tables = NAMES.map((name) => table(name, samples, cells));
  const replies: Record<string, { cells: number[] }> = {};
  for (const [i, name] of NAMES.entries()) replies[name] = { cells: assigned(tables[i] ?? []) };
  const field = tableOfWholeField(samples, cells, 3);
  replies["field"] = { cells: assigned(field) };
  replies["field and readings"] = {
    cells: assigned(added([field, field, table("readings", samples, cells)])),
  };
  replies["all"] = { cells: assigned(added(tables)) };
  return replies;
}
