import type { Metrics } from "./metrics.js";

/** Value of a label whose own was folded away; no id may be spelled so. */
export const FOLDED = "(overflow)";

const NAME = "gw_metrics_folded_total";
const HELP =
  "Times that labels of a metric were folded into (overflow), since it has too many series already.";

/**
 * Labels whose values come out of short lists. They stay when a family is full, so that errors are still told from answers
 * where routes are not told apart any more.
 */
const CLOSED: ReadonlySet<string> = new Set([
  "code",
  "type",
  "state",
  "reason",
  "outcome",
  "failure",
  "result",
]);

/** Counts that a series of `metric` was not kept apart. */
export function countFolded(metrics: Metrics, metric: string): void {
  if (metric !== NAME) metrics.counter(NAME, HELP, { metric }).add(1);
}

/** @param all without the labels that else stay */
export function foldedLabels(labels: Readonly<Record<string, string>>, all: boolean): Record<string, string> {
  const fold = ([name, value]: [string, string]) => [name, !all && CLOSED.has(name) ? value : FOLDED];
  return Object.fromEntries(Object.entries(labels).map(fold));
}
