import type { RouterRow } from "../../runtime/abi/generation.js";
import { isAmong } from "./address.js";

/** What a route is chosen by. */
export interface Subject {
  host: string;
  path: string;
  method: string;
  clientAddress: string;
}

export interface Match<R> {
  route: R;
  parameters: Record<string, string>;
}

/** The route of reference 2.2: host first, then path; `holds` evaluates the `vars` of a candidate. */
export function route<R extends { row: RouterRow }>(
  routes: readonly R[],
  subject: Subject,
  holds: (route: R, parameters: Record<string, string>) => boolean,
): Match<R> | undefined {
  for (const entry of hostEntries(routes, subject.host)) {
    const inside = routes.filter(({ row }) =>
      entry === undefined ? row.hosts.length === 0 : row.hosts.includes(entry),
    );
    for (const { route, pattern } of candidates(inside, subject.path)) {
      const { row } = route;
      if (row.methods.length > 0 && !row.methods.includes(subject.method)) continue;
      if (row.remoteAddrs.length > 0 && !isAmong(subject.clientAddress, row.remoteAddrs)) continue;
      const parameters = matchPattern(pattern, subject.path);
      if (parameters && holds(route, parameters)) return { route, parameters };
    }
  }
  return undefined;
}

/** Host entries to look into, in order: exact, longest suffix wildcard first, then routes without a host. */
function hostEntries(routes: readonly { row: RouterRow }[], host: string): (string | undefined)[] {
  const all = [...new Set(routes.flatMap(({ row }) => row.hosts))];
  const exact = all.filter((entry) => !entry.startsWith("*") && entry === host);
  const wildcards = all
    .filter((entry) => entry.startsWith("*") && host.endsWith(entry.slice(1)))
    .sort((a, b) => b.length - a.length);
  return [...exact, ...wildcards, undefined];
}

/** Patterns in the order in which they are tried: exact paths, then the longest literal prefix. */
function candidates<R extends { row: RouterRow }>(routes: readonly R[], path: string) {
  const all = routes.flatMap((route) => route.row.uris.map((pattern) => ({ route, pattern })));
  const order = (a: R, b: R) => b.row.priority - a.row.priority;
  const exact = all.filter(({ pattern }) => isLiteral(pattern) && meant(pattern) === path);
  const patterns = all.filter(({ pattern }) => !isLiteral(pattern) && path.startsWith(prefixOf(pattern)));
  exact.sort((a, b) => order(a.route, b.route) || a.route.row.order - b.route.row.order);
  patterns.sort(
    (a, b) =>
      prefixOf(b.pattern).length - prefixOf(a.pattern).length ||
      order(a.route, b.route) ||
      b.pattern.length - a.pattern.length ||
      a.route.row.order - b.route.row.order,
  );
  return [...exact, ...patterns];
}

const SPECIAL = /\*|(?<=\/):(?=[^/*])/;

function isLiteral(pattern: string): boolean {
  return !SPECIAL.test(pattern);
}

function prefixOf(pattern: string): string {
  return meant(pattern.slice(0, pattern.search(SPECIAL)));
}

/** A star or a colon that is escaped in a pattern is a character like any other. */
function meant(literal: string): string {
  return literal.replaceAll("%2A", "*").replaceAll("%3A", ":");
}

/** Path parameters, or undefined when the whole pattern does not fit. */
function matchPattern(pattern: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const source = pattern.replace(
    /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|[^:*]+|[:*]/g,
    (text, named, rest) => {
      if (named !== undefined) {
        names.push(named);
        return "([^/]+)";
      }
      if (rest !== undefined) {
        names.push(rest);
        return "([^]*)";
      }
      if (text === "*") return "[^]*";
      return meant(text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    },
  );
  const found = new RegExp(`^${source}$`).exec(path);
  if (!found) return undefined;
  return Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? ""]));
}
