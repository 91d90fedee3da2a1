import type { Details } from "./details.js";
import type { SampleRequest } from "./simulator.js";

/**
 * Kind of a change:
 * - new, gone: a route with this id appears or disappears
 * - renamed: a route that matches and does the same has another id
 * - precedence: requests of one route go to another
 * - matching: the requests that a route matches
 * - actions: its handling of them
 * - shared: a part that every request passes
 * - settings: settings of the gateway that affect responses
 * - operation: settings of the gateway that do not
 */
export type ChangeKind =
  | "new"
  | "gone"
  | "renamed"
  | "precedence"
  | "matching"
  | "actions"
  | "shared"
  | "settings"
  | "operation";

/**
 * Effect on traffic:
 * - none: all responses are the same
 * - additive: only requests that matched no route before get other responses
 * - changed: other requests do too, or may do so
 */
export type Severity = "none" | "additive" | "changed";

export interface Outcome {
  route: string | null;
  upstream: string | null;
  status: number;
}

/** Request with different responses, as run in both configurations. */
export interface Example {
  probe: SampleRequest;
  before: Outcome;
  after: Outcome;
  /** Differences by name; null if a side lacks the value. */
  differs: { name: string; before: string | null; after: string | null }[];
}

export interface TrafficChange {
  kind: ChangeKind;
  severity: Severity;
  subject: string;
  /** Route that receives its requests now, or its new id. */
  to?: string;
  details: Details;
  /** Null if none was found. */
  example: Example | null;
  note?: string;
}

export interface TrafficDiff {
  severity: Severity;
  changes: TrafficChange[];
  unchanged: number;
}

const RANK: readonly Severity[] = ["none", "additive", "changed"];

export function worst(severities: readonly Severity[]): Severity {
  return severities.reduce((a, b) => (RANK.indexOf(a) < RANK.indexOf(b) ? b : a), "none");
}
