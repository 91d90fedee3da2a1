import type { RouterRow } from "../../abi/generation.js";
import { type Candidate, Entry, fits, type RouteSubject } from "./candidate.js";
import { type Explanation, explainMatch } from "./explain.js";
import { HostIndex } from "./host-index.js";
import { parsePattern } from "./pattern.js";

const NO_HOST: readonly undefined[] = [undefined];

/**
 * Chooses the route of a request: host, path, priority, then methods, addresses and `vars` (reference 2.2).
 * Changes are in place and cost microseconds; a request sees one state, since matching is synchronous.
 */
export class Router<T, S extends RouteSubject> {
  readonly #byId = new Map<string, Entry<T>>();
  /** Public for the test that removed routes leave nothing behind. */
  readonly hosts = new HostIndex<T>();
  readonly #holds: (target: T, subject: S) => boolean;
  /** Bound once, so that matching creates no closure. */
  readonly #accepts = (candidate: Candidate<T>, subject: S): boolean =>
    fits(candidate, subject) && (!candidate.entry.hasMatch || this.#holds(candidate.entry.target, subject));

  /** @param holds evaluates the `vars` of a route whose row has `hasMatch` */
  constructor(holds: (target: T, subject: S) => boolean) {
    this.#holds = holds;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.target;
  }

  /** Adds a route or replaces the one with the same id. */
  put(row: RouterRow, target: T): void {
    const present = this.#byId.get(row.id);
    if (present !== undefined) {
      if (samePlace(present.row, row)) {
        // Candidates hold the entry.
        Object.assign(present, new Entry(row, target));
        return;
      }
      this.remove(row.id);
    }
    const entry = new Entry(row, target);
    this.#byId.set(row.id, entry);
    for (const uri of row.uris) {
      const pattern = parsePattern(uri);
      for (const host of hostsOf(row)) this.hosts.entry(host).add(entry, pattern);
    }
  }

  remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    for (const host of hostsOf(entry.row)) {
      const index = this.hosts.entry(host);
      for (const uri of entry.row.uris) index.remove(entry, parsePattern(uri));
      if (index.empty) this.hosts.drop(host);
    }
  }

  /** Returns the matching route, and sets the path parameters of the request. */
  match(subject: S): T | undefined {
    const found = this.hosts.search(subject.host, subject.path, subject, this.#accepts);
    if (found !== null) return found.entry.target;
    subject.uriParams = undefined;
    return undefined;
  }

  /** Explains the result for every route; those that match host and path come first, in matching order. */
  explain(subject: S): Explanation {
    const tried: Candidate<T>[] = [];
    this.hosts.search(subject.host, subject.path, subject, (candidate) => {
      tried.push(candidate);
      return false;
    });
    return explainMatch(subject, tried, [...this.#byId.values()], (entry) =>
      this.#holds(entry.target, subject),
    );
  }
}

function hostsOf(row: RouterRow): readonly (string | undefined)[] {
  return row.hosts.length === 0 ? NO_HOST : row.hosts;
}

/** Reports whether both rows have the same hosts and patterns, in the same order among their neighbours. */
function samePlace(a: RouterRow, b: RouterRow): boolean {
  return (
    a.priority === b.priority && a.order === b.order && sameList(a.hosts, b.hosts) && sameList(a.uris, b.uris)
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
