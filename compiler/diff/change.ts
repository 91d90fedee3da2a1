import type { Details } from "./details.js";
import type { SampleRequest } from "./sample-request.js";

/**
 * new, gone: a route of this id. renamed: a route that matches and does the same under another id. precedence: requests that one
 * route took go to another. matching: which requests it takes. actions: what it does with them. shared: a part that every request
 * passes. settings: of the gateway itself. operation: settings of it that no answer depends on.
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
 * additive: only requests that no route took are answered otherwise; changed: others are, or may be, too; none: no request is
 * answered otherwise.
 */
export type Severity = "none" | "additive" | "changed";

export interface Outcome {
  route: string | null;
  upstream: string | null;
  status: number;
}

/** A request that the two configurations answer differently: both have been run on it. */
export interface Example {
  probe: SampleRequest;
  before: Outcome;
  after: Outcome;
  /** What differs, by name; null: it is not there. */
  differs: { name: string; before: string | null; after: string | null }[];
}

export interface TrafficChange {
  kind: ChangeKind;
  severity: Severity;
  /** Id of the route, or the name of what is shared: "global_rules/all". */
  subject: string;
  /** The route that has its requests now, or its new id. */
  to?: string;
  details: Details;
  /** Null: none was found. */
  example: Example | null;
  /** What the reader should know beside that. */
  note?: string;
}

export interface TrafficDiff {
  severity: Severity;
  changes: TrafficChange[];
  /** Routes of both that match and do the same. */
  unchanged: number;
}

const RANK: readonly Severity[] = ["none", "additive", "changed"];

export function worst(severities: readonly Severity[]): Severity {
  return severities.reduce((a, b) => (RANK.indexOf(a) < RANK.indexOf(b) ? b : a), "none");
}
