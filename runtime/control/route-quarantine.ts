import type { GenerationContent } from "../process/generation-log.js";
import { log } from "../process/log.js";
import { routeNumber } from "../proxy/host/execution-marker.js";

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** A route that has run this long since its last hold begins with the shortest again. */
const FORGOTTEN_MS = 600_000;

/** A route that is answered 503. */
export interface QuarantinedRoute {
  route: string;
  /** How often it has held a worker. */
  stalls: number;
  /** Milliseconds to go. */
  remaining_ms: number;
}

interface Hold {
  stalls: number;
  until: number;
  /** Version of the code that ran; undefined: not known. */
  version: string | undefined;
}

/** Changes when code that the route runs does; undefined when there is no such route. */
type VersionOf = (route: string) => string | undefined;

const UNKNOWN: VersionOf = () => undefined;

/**
 * Routes whose code has held a worker's main thread until its watchdog ended it. Workers are replaced at once, so it is the
 * route that waits, longer each time, while all others are served.
 */
export class RouteQuarantine {
  readonly #holds = new Map<string, Hold>();
  /** Versions of routes that each worker serves, by its pid: an earlier generation's code may be the one that ran. */
  readonly #served = new Map<number, VersionOf>();
  readonly #tell: (route: string, ms: number) => void;
  readonly #now: () => number;

  /** @param tell lets every worker answer the route 503 for `ms`; 0: serve it again */
  constructor(tell: (route: string, ms: number) => void, now = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  /** Notes the generation that a worker serves from now on. @param versionOf in it; absent: not known */
  serves(pid: number, versionOf: VersionOf = UNKNOWN): void {
    this.#served.set(pid, versionOf);
  }

  /** Forgets the generations of all other workers. */
  keepServed(pids: ReadonlySet<number>): void {
    for (const pid of this.#served.keys()) if (!pids.has(pid)) this.#served.delete(pid);
  }

  /** @param pid of the worker, which may have ended @param otherwise versions, if nobody knows what that one served */
  stalled(route: string, pid: number, otherwise: VersionOf): void {
    const version = (this.#served.get(pid) ?? otherwise)(route);
    const before = this.#holds.get(route);
    const recent = before !== undefined && this.#now() - before.until < FORGOTTEN_MS;
    // A second worker that the same burst of requests has held adds nothing.
    if (before !== undefined && this.#now() < before.until) return;
    const stalls = recent ? before.stalls + 1 : 1;
    const ms = Math.min(FIRST_MS * 2 ** (stalls - 1), LONGEST_MS);
    this.#holds.set(route, { stalls, until: this.#now() + ms, version });
    log("route_quarantined", { route, stalls, answered_503_for_ms: ms });
    this.#tell(route, ms);
  }

  /** Routes that have changed may not be what held a worker: another version is given a fresh start. */
  review(versionOf: VersionOf): void {
    for (const [route, { version, until }] of this.#holds) {
      if (version !== undefined && versionOf(route) === version) continue;
      this.#holds.delete(route);
      if (until <= this.#now()) continue;
      log("route_released", { route, reason: "it, or a global rule, was changed" });
      this.#tell(route, 0);
    }
  }

  get current(): QuarantinedRoute[] {
    return [...this.#holds]
      .map(([route, { stalls, until }]) => ({
        route,
        stalls,
        remaining_ms: Math.ceil(until - this.#now()),
      }))
      .filter(({ remaining_ms }) => remaining_ms > 0);
  }
}

/** What a stall is blamed on, by the numbers that workers know. */
export function namesIn({ routes, modules, globalRules }: GenerationContent) {
  return {
    routeAt: (number: number) => [...routes.keys()].find((id) => routeNumber(id) === number),
    /** The text of a route's row, its module's hash, and those of the global rules, which run for it too. */
    routeVersion(id: string): string | undefined {
      const row = routes.get(id);
      const moduleIds = [row?.moduleId, ...globalRules.map(({ moduleId }) => moduleId)];
      const hashes = moduleIds.map((moduleId) => (moduleId ? modules.get(moduleId)?.hash : undefined) ?? "");
      return row && [JSON.stringify(row), ...hashes].join(" ");
    },
    globalRuleAt: (index: number) => globalRules[index]?.id,
  };
}
