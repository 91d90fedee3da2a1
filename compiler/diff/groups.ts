import type { ReportedChange } from "./report.js";

/** A change, and the routes that change in the same way. */
export interface Grouped {
  change: ReportedChange;
  others: string[];
}

/**
 * Routes whose actions change by the same lines are told once: one node of a shared upstream changes hundreds of routes, and nobody
 * reads hundreds of times the same. The example is the first route's.
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

/** Routes that are named; more are counted. */
const NAMED = 10;

export function othersText(others: readonly string[]): string {
  const named = others.slice(0, NAMED).join(", ");
  const more = others.length - NAMED;
  return `the same for ${others.length === 1 ? "route" : "routes"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}
