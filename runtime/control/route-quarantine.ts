import type { GenerationContent } from "../process/generation-log.js";
import { log } from "../process/log.js";
import { CodeKind, routeNumber } from "../proxy/host/execution-marker.js";

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** Time in ms without a stall after which a route starts with the shortest quarantine again. */
const FORGOTTEN_MS = 600_000;

/** Route in quarantine: requests receive 503. */
export interface QuarantinedRoute {
  route: string;
  stalls: number;
  remaining_ms: number;
}

interface Hold {
  stalls: number;
  until: number;
  version: string | undefined;
}

/** Returns a value that changes with the code of the route; undefined if there is no such route. */
type VersionOf = (route: string) => string | undefined;

const UNKNOWN: VersionOf = () => undefined;

/**
 * Routes whose code blocked a worker's main thread until its watchdog ended it. Workers are replaced at once,
 * so the route itself pauses, longer each time, while all others are served.
 */
export class RouteQuarantine {
  readonly #holds = new Map<string, Hold>();
  /** Versions of routes by worker pid: the code that ran may belong to an earlier generation. */
  readonly #served = new Map<number, VersionOf>();
  readonly #tell: (route: string, ms: number) => void;
  readonly #now: () => number;

  /** @param tell makes every worker reply 503 for the route for `ms`; 0 ends that */
  constructor(tell: (route: string, ms: number) => void, now = () => performance.now()) {
    this.#tell = tell;
    this.#now = now;
  }

  serves(pid: number, versionOf: VersionOf = UNKNOWN): void {
    this.#served.set(pid, versionOf);
  }

  keepServed(pids: ReadonlySet<number>): void {
    for (const pid of this.#served.keys()) if (!pids.has(pid)) this.#served.delete(pid);
  }

  /** @param otherwise versions if those of the worker, which may have ended, are unknown */
  stalled(route: string, pid: number, otherwise: VersionOf): void {
    const version = (this.#served.get(pid) ?? otherwise)(route);
    const before = this.#holds.get(route);
    const recent = before !== undefined && this.#now() - before.until < FORGOTTEN_MS;
    // Ignores another worker that the same burst of requests has blocked.
    if (before !== undefined && this.#now() < before.until) return;
    const stalls = recent ? before.stalls + 1 : 1;
    const ms = Math.min(FIRST_MS * 2 ** (stalls - 1), LONGEST_MS);
    this.#holds.set(route, { stalls, until: this.#now() + ms, version });
    log("route_quarantined", { route, stalls, answered_503_for_ms: ms });
    this.#tell(route, ms);
  }

  /** Ends the quarantine of changed routes, since the new version may not stall. */
  review(versionOf: VersionOf): void {
    for (const [route, { version, until }] of this.#holds) {
      if (version !== undefined && versionOf(route) === version) continue;
      this.#holds.delete(route);
      if (until <= this.#now()) continue;
      log("route_released", { route, reason: "the route or a global rule was changed" });
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

/** Functions that map the numbers in a stall report to names. */
export function namesIn({ routes, modules, globalRules }: GenerationContent) {
  return {
    routeAt: (number: number) => [...routes.keys()].find((id) => routeNumber(id) === number),
    /** Version of a route: its row, the hash of its module, and those of the global rules, which also run. */
    routeVersion(id: string): string | undefined {
      const row = routes.get(id);
      const moduleIds = [row?.moduleId, ...globalRules.map(({ moduleId }) => moduleId)];
      const hashes = moduleIds.map((moduleId) => (moduleId ? modules.get(moduleId)?.hash : undefined) ?? "");
      return row && [JSON.stringify(row), ...hashes].join(" ");
    },
    globalRuleAt: (index: number) => globalRules[index]?.id,
  };
}

export interface Stall {
  worker: number;
  reason: "its main thread was blocked" | "it sent no liveness signal";
  route: string | undefined;
  /** Code that ran: "condition", "phase" or "filter" of the route, or `global rule "1"`. */
  part?: string;
  silentMs: number;
  at: string;
}

export function partOf(part: number, globalRuleAt: (index: number) => string | undefined): string {
  if (part >= CodeKind.rule) return `global rule "${globalRuleAt(part - CodeKind.rule) ?? ""}"`;
  return Object.entries(CodeKind).find(([, number]) => number === part)?.[0] ?? "none";
}
