import { decodeQueryValue } from "../exchange/path.js";

/** Stands in the place of what may not be logged. */
export const MASK = "***";

/** Lower-case names of the query parameters whose values are masked on a path. */
export type MaskedNames = (path: string) => ReadonlySet<string>;

/**
 * The lists of settings: a name is masked everywhere, and "/verify?ip" masks `ip` on paths that end in "/verify".
 * @param entries lower case
 */
export function maskedNames(entries: readonly string[]): MaskedNames {
  const everywhere = new Set(entries.filter((entry) => !entry.startsWith("/")));
  const ends = new Map<string, Set<string>>();
  for (const entry of entries) {
    const mark = entry.indexOf("?");
    if (!entry.startsWith("/") || mark < 0) continue;
    const end = entry.slice(0, mark);
    ends.set(end, new Set([...everywhere, ...(ends.get(end) ?? []), entry.slice(mark + 1)]));
  }
  if (ends.size === 0) return () => everywhere;
  const [[end, names] = ["", everywhere], ...more] = ends;
  if (more.length === 0) return (path) => (path.endsWith(end) ? names : everywhere);
  return (path) => {
    const found = [...ends].filter(([suffix]) => path.endsWith(suffix)).flatMap(([, set]) => [...set]);
    return found.length === 0 ? everywhere : new Set(found);
  };
}

/** The query with the values of these parameters masked; `names` in lower case, in whatever spelling they come. */
export function redactedQuery(args: string, names: ReadonlySet<string>): string {
  if (args === "" || names.size === 0) return args;
  let masked = false;
  const pairs = args.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 0 || !names.has(decodeQueryValue(pair.slice(0, equals)).toLowerCase())) return pair;
    masked = true;
    return `${pair.slice(0, equals + 1)}${MASK}`;
  });
  return masked ? pairs.join("&") : args;
}

/** The same for a request target. */
export function redactedTarget(target: string, names: ReadonlySet<string>): string {
  const mark = target.indexOf("?");
  if (mark < 0 || names.size === 0) return target;
  return target.slice(0, mark + 1) + redactedQuery(target.slice(mark + 1), names);
}
