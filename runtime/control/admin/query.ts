/** Returns the query after the first "?" of a target, so that all readers see the same arguments. */
export const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");

export type DryRunDetail = "effect" | "module";
const ASKED: readonly string[] = ["effect", "module"] satisfies DryRunDetail[];

export const dryRunDetail = (query: URLSearchParams): DryRunDetail | undefined => {
  const [given, ...more] = query.getAll("dry_run");
  return given !== undefined && more.length === 0 && ASKED.includes(given)
    ? (given as DryRunDetail)
    : undefined;
};

/** Reports whether a write is a dry run; false for a repeated argument, which is rejected. */
export function isDryRun(query: URLSearchParams): boolean {
  const given = query.getAll("dry_run");
  return given.length === 1 && (given[0] === "true" || ASKED.includes(given[0] ?? ""));
}

const MAX_NAME = 64;

/** Rejects a query with a repeated argument: two readers could use different values. */
export function queryFault(query: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) return `invalid argument ${name.slice(0, MAX_NAME)}: given more than once`;
    seen.add(name);
  }
  return undefined;
}
