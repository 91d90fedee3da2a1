import type { RouterRow } from "../../abi/generation.js";
import { type Candidate, compareCandidates, type Entry, fits, type RouteSubject } from "./candidate.js";
import { matchGlob, parsePattern } from "./pattern.js";

interface Verdict {
  id: string;
  /** Value "matched", or the reason in terms of the configuration. */
  verdict: string;
  /** First property that does not match, or "order": an earlier route matches. Absent for the matched route. */
  why?: "host" | "path" | "method" | "client" | "condition" | "order";
}

export interface Explanation {
  /** Id of the matched route, null for 404. */
  matched: string | null;
  /** All routes: first those that match host and path, in matching order, then the others by their order. */
  candidates: Verdict[];
}

/**
 * @param tried candidates whose host and literal prefix match, in order
 * @param holds evaluates the `vars` of a route
 */
export function explainMatch<T>(
  subject: RouteSubject,
  tried: readonly Candidate<T>[],
  all: readonly Entry<T>[],
  holds: (entry: Entry<T>) => boolean,
): Explanation {
  const verdicts = new Map<Entry<T>, Reason | undefined>();
  let winner: Candidate<T> | undefined;
  let parameters: RouteSubject["uriParams"];
  for (const candidate of tried) {
    const { entry } = candidate;
    const told = verdicts.get(entry);
    if (entry === winner?.entry || told?.why === "order") continue;
    const reason = refusal(candidate, subject, holds);
    if (reason !== undefined) verdicts.set(entry, told ?? reason);
    else if (winner !== undefined)
      verdicts.set(entry, { why: "order", verdict: comesAfter(candidate, winner, subject.host) });
    else {
      winner = candidate;
      parameters = subject.uriParams;
      verdicts.set(entry, undefined);
    }
  }
  subject.uriParams = parameters;
  const others = all.filter((entry) => !verdicts.has(entry)).sort((a, b) => a.row.order - b.row.order);
  for (const entry of others) verdicts.set(entry, misplaced(entry.row, subject));
  return {
    matched: winner?.entry.row.id ?? null,
    candidates: Array.from(verdicts, ([{ row }, reason]) => ({
      ...{ id: row.id, verdict: "matched" },
      ...reason,
    })),
  };
}

type Reason = Required<Pick<Verdict, "verdict" | "why">>;

/** Returns the reason why a route whose host and literal prefix match does not match the request. */
function refusal<T>(
  candidate: Candidate<T>,
  subject: RouteSubject,
  holds: (entry: Entry<T>) => boolean,
): Reason | undefined {
  const { entry, pattern } = candidate;
  const { methods, uris, remoteAddrs } = entry.row;
  if (pattern.shape !== null && matchGlob(pattern.shape, subject.path) === undefined)
    return { why: "path", verdict: pathMismatch(uris, subject) };
  if (methods.length !== 0 && !methods.includes(subject.method))
    return { why: "method", verdict: `method ${subject.method} is not among ${methods.join(", ")}` };
  if (!fits(candidate, subject))
    return { why: "client", verdict: `client ${subject.remoteAddr} is not in ${listed(remoteAddrs)}` };
  if (entry.row.hasMatch && !holds(entry)) return { why: "condition", verdict: "its vars are not met" };
  return undefined;
}

function comesAfter<T>(candidate: Candidate<T>, winner: Candidate<T>, host: string): string {
  const first = `comes after "${winner.entry.row.id}", which has`;
  const [own, winning] = [hostRank(candidate.entry.row, host), hostRank(winner.entry.row, host)];
  if (own !== winning) return `${first} the more specific host`;
  if (winner.pattern.exact && !candidate.pattern.exact) return `${first} the exact path`;
  if (winner.pattern.prefix.length !== candidate.pattern.prefix.length)
    return `${first} the longer path prefix`;
  if (candidate.entry.row.priority !== winner.entry.row.priority)
    return `${first} the higher priority (${winner.entry.row.priority} to ${candidate.entry.row.priority})`;
  if (compareCandidates(winner, candidate) < 0 && winner.pattern.length !== candidate.pattern.length)
    return `${first} the longer path pattern`;
  return `${first} the same host, path and priority and is defined earlier`;
}

/** Length of the best host entry that matches: an exact name precedes every suffix, no host comes last. */
function hostRank(row: RouterRow, host: string): number {
  if (row.hosts.length === 0) return -1;
  if (row.hosts.includes(host)) return Number.POSITIVE_INFINITY;
  const suffixes = row.hosts.filter((entry) => entry.startsWith("*") && host.endsWith(entry.slice(1)));
  return Math.max(-1, ...suffixes.map((entry) => entry.length - 1));
}

function misplaced(row: RouterRow, subject: RouteSubject): Reason {
  const hostFits = hostRank(row, subject.host) >= 0 || row.hosts.length === 0;
  if (!hostFits)
    return {
      why: "host",
      verdict: `host ${subject.host === "" ? "(none)" : subject.host} is not among ${listed(row.hosts)}`,
    };
  return { why: "path", verdict: pathMismatch(row.uris, subject) };
}

function pathMismatch(uris: readonly string[], { path }: RouteSubject): string {
  const [only] = uris;
  const slash = uris.some((pattern) => pattern === `${path}/*`)
    ? `; "${path}/*" needs the slash`
    : uris.some(
          (pattern) => parsePattern(pattern).exact && (pattern === `${path}/` || `${pattern}/` === path),
        )
      ? "; the trailing slash matters"
      : "";
  return `path ${path} does not match ${uris.length === 1 ? only : listed(uris)}${slash}`;
}

/** Lists at most five items, since a list of hundreds helps nobody. */
function listed(items: readonly string[]): string {
  const more = items.length > 5 ? ` and ${items.length - 5} more` : "";
  return items.slice(0, 5).join(", ") + more;
}
