/** Query behind the first "?" of a target: whoever asks for an argument has to read the same one. */
export const queryOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");

/** Question to a dry run: changes for traffic, or of generated modules. */
export type DryRunDetail = "effect" | "module";
const ASKED: readonly string[] = ["effect", "module"] satisfies DryRunDetail[];

/** Values of `dry_run` that ask for more than the answer of the write. */
export const dryRunDetail = (query: URLSearchParams): DryRunDetail | undefined => {
  const [given, ...more] = query.getAll("dry_run");
  return given !== undefined && more.length === 0 && ASKED.includes(given)
    ? (given as DryRunDetail)
    : undefined;
};

/** Reports whether a write is only tried; an argument that is given twice counts as none here, since it is refused. */
export function isDryRun(query: URLSearchParams): boolean {
  const given = query.getAll("dry_run");
  return given.length === 1 && (given[0] === "true" || ASKED.includes(given[0] ?? ""));
}

/** Characters of a name that are shown. */
const MAX_NAME = 64;

/** Why a query is refused: of an argument that is given twice, each reader could take another one. */
export function queryFault(query: URLSearchParams): string | undefined {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) return `invalid argument ${name.slice(0, MAX_NAME)}: given more than once`;
    seen.add(name);
  }
  return undefined;
}
