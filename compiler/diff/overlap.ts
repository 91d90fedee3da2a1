import { literalPrefix, overlaps } from "../3-resolve/match-fields.js";
import type { PlannedRoute } from "../4-plan/parts.js";

/**
 * Overlap of two routes, derived from settings without running a request. Conditions and addresses are
 * ignored, so the result is only a possibility: without an example, a report may claim no more.
 */

export function mayShare(a: PlannedRoute, b: PlannedRoute): boolean {
  const apart = (one: readonly string[], other: readonly string[]) =>
    one.length > 0 && other.length > 0 && !one.some((item) => other.includes(item));
  const { row: first } = a;
  const { row: second } = b;
  const isExact = hasExactHosts(a) && hasExactHosts(b);
  if (apart(first.methods, second.methods) || (isExact && apart(first.hosts, second.hosts))) return false;
  return sharedPatterns(a, b).length > 0;
}

/** All hosts are exact; false without hosts. */
export const hasExactHosts = ({ row: { hosts } }: PlannedRoute): boolean =>
  hosts.length > 0 && hosts.every((host) => !host.includes("*"));

/** Compares for every request that both match. */
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

/** Only the order of the two routes decides precedence, and it has changed. */
export function haveSwappedOrder(before: readonly PlannedRoute[], after: readonly PlannedRoute[]): boolean {
  const [a, b] = before;
  const [c, d] = after;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  if (a.row.priority !== b.row.priority || c.row.priority !== d.row.priority || !mayShare(c, d)) return false;
  const isTie = sharedPatterns(c, d).some(([own, other]) => own.length === other.length);
  return isTie && isFirst(a, b) !== isFirst(c, d);
}

/** Compares as the router does: by order, then by id. */
export const isFirst = (a: PlannedRoute, b: PlannedRoute): boolean =>
  a.row.order === b.row.order ? a.row.id < b.row.id : a.row.order < b.row.order;

function sharedPatterns(a: PlannedRoute, b: PlannedRoute): [string, string][] {
  return a.row.uris.flatMap((own) =>
    b.row.uris.filter((other) => overlaps(own, other)).map((other): [string, string] => [own, other]),
  );
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item) => b.includes(item));
