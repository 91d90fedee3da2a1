import type { RouterRow } from "../../abi/generation.js";
import { type Addresses, addresses } from "../../abi/text/addresses.js";
import { matchGlob, type PathPattern } from "./pattern.js";

/** Properties by which a route is chosen; the exchange of a request has all of them. */
export interface RouteSubject {
  /** Lower-case host without port; "" for none. */
  readonly host: string;
  /** Path without query in the form that routes compare (`matchedForm` of the normalized path). */
  readonly path: string;
  readonly method: string;
  readonly remoteAddr: string;
  /** Path parameters, set by the router before it evaluates `vars`; `uriParam` reads them. */
  uriParams: Record<string, string> | undefined;
}

/** Route in the router; its candidates are its (host, pattern) pairs. */
export class Entry<T> {
  row: RouterRow;
  target: T;
  // Copied from the row, so that a candidate that does not match needs no access to its row.
  methods: readonly string[];
  hasMatch: boolean;
  clients: Addresses | null;

  constructor(row: RouterRow, target: T) {
    this.row = row;
    this.target = target;
    this.methods = row.methods;
    this.hasMatch = row.hasMatch;
    this.clients = row.remoteAddrs.length === 0 ? null : addresses(...row.remoteAddrs);
  }
}

/** Pattern of a route within one host; candidates of one literal prefix form a list in matching order. */
export class Candidate<T> {
  readonly entry: Entry<T>;
  readonly pattern: PathPattern;
  next: Candidate<T> | null = null;

  constructor(entry: Entry<T>, pattern: PathPattern) {
    this.entry = entry;
    this.pattern = pattern;
  }
}

/** Order: priority, then the longer pattern, then the order of registration, then the id. */
export function compareCandidates<T>(a: Candidate<T>, b: Candidate<T>): number {
  return (
    b.entry.row.priority - a.entry.row.priority ||
    b.pattern.length - a.pattern.length ||
    a.entry.row.order - b.entry.row.order ||
    (a.entry.row.id < b.entry.row.id ? -1 : a.entry.row.id > b.entry.row.id ? 1 : 0)
  );
}

/** @returns the new head */
export function insert<T>(head: Candidate<T> | null, candidate: Candidate<T>): Candidate<T> {
  if (head === null || compareCandidates(candidate, head) < 0) {
    candidate.next = head;
    return candidate;
  }
  let before = head;
  while (before.next !== null && compareCandidates(candidate, before.next) >= 0) before = before.next;
  candidate.next = before.next;
  before.next = candidate;
  return head;
}

/** @returns the new head */
export function withdraw<T>(head: Candidate<T> | null, entry: Entry<T>): Candidate<T> | null {
  let first = head;
  while (first !== null && first.entry === entry) first = first.next;
  for (let before = first; before?.next; ) {
    if (before.next.entry === entry) before.next = before.next.next;
    else before = before.next;
  }
  return first;
}

/** Reports whether method, address and pattern match the request; sets its path parameters, which `vars` may read. */
export function fits<T>(candidate: Candidate<T>, subject: RouteSubject): boolean {
  const { entry, pattern } = candidate;
  const { methods } = entry;
  if (methods.length !== 0 && !methods.includes(subject.method)) return false;
  if (entry.clients !== null && !entry.clients.has(subject.remoteAddr)) return false;
  if (pattern.shape === null) {
    if (subject.uriParams !== undefined) subject.uriParams = undefined;
    return true;
  }
  subject.uriParams = matchGlob(pattern.shape, subject.path);
  return subject.uriParams !== undefined;
}
