import type { PlannedRoute } from "../plan/parts.js";
import { literalPrefix, overlaps } from "../resolve/match-fields.js";

/**
 * What the settings of two routes prove of the requests that both could take. Conditions and addresses prove nothing here, and nothing is
 * taken for granted: where no request was found that shows it, a report may only say what these say.
 */

/** Whether some request may fit both. */
export function mayShare(a: PlannedRoute, b: PlannedRoute): boolean {
  const apart = (one: readonly string[], other: readonly string[]) =>
    one.length > 0 && other.length > 0 && !one.some((item) => other.includes(item));
  const { row: first } = a;
  const { row: second } = b;
  const isExact = hasExactHosts(a) && hasExactHosts(b);
  if (apart(first.methods, second.methods) || (isExact && apart(first.hosts, second.hosts))) return false;
  return sharedPatterns(a, b).length > 0;
}

/** Reports whether a route takes requests to the hosts that it names, and to no others. */
export const hasExactHosts = ({ row: { hosts } }: PlannedRoute): boolean =>
  hosts.length > 0 && hosts.every((host) => !host.includes("*"));

/** Whether `a` is tried before `b` wherever both fit. */
export function isTriedBefore(a: PlannedRoute, b: PlannedRoute): boolean {
  const hosts = b.row.hosts.length === 0 || sameList(a.row.hosts, b.row.hosts);
  return (
    hosts &&
    a.row.priority >= b.row.priority &&
    sharedPatterns(a, b).every(
      ([own, other]) => own.length > other.length && literalPrefix(own).length >= literalPrefix(other).length,
    )
  );
}

/** Whether nothing but their order tells which of the two is tried first, and the order is another one now. */
export function haveSwappedOrder(before: readonly PlannedRoute[], after: readonly PlannedRoute[]): boolean {
  const [a, b] = before;
  const [c, d] = after;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  if (a.row.priority !== b.row.priority || c.row.priority !== d.row.priority || !mayShare(c, d)) return false;
  const isTie = sharedPatterns(c, d).some(([own, other]) => own.length === other.length);
  return isTie && isFirst(a, b) !== isFirst(c, d);
}

/** As the router has it: the order, then the id. */
export const isFirst = (a: PlannedRoute, b: PlannedRoute): boolean =>
  a.row.order === b.row.order ? a.row.id < b.row.id : a.row.order < b.row.order;

/** Pairs of patterns, one of each route, that some path may fit both of. */
function sharedPatterns(a: PlannedRoute, b: PlannedRoute): [string, string][] {
  return a.row.uris.flatMap((own) =>
    b.row.uris.filter((other) => overlaps(own, other)).map((other): [string, string] => [own, other]),
  );
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));
