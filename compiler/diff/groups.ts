import type { ReportedChange } from "./report.js";

export interface Grouped {
  change: ReportedChange;
  others: string[];
}

/**
 * Groups routes whose actions change by the same lines: one node of a shared upstream changes hundreds of
 * them. The example is the first route's.
 */
export function grouped(changes: readonly ReportedChange[]): Grouped[] {
  const groups = new Map<string, Grouped>();
  for (const [i, change] of changes.entries()) {
    const { kind, severity, removed, added, example } = change;
    const differs = example?.differs.map(({ name }) => name);
    const key = kind === "actions" ? JSON.stringify([severity, removed, added, differs]) : String(i);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { change, others: [] });
    else known.others.push(change.subject);
  }
  return [...groups.values()];
}

/** Maximum routes that are named; further ones are counted. */
const NAMED = 10;

export function othersText(others: readonly string[]): string {
  const named = others.slice(0, NAMED).join(", ");
  const more = others.length - NAMED;
  return `the same for ${others.length === 1 ? "route" : "routes"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}
