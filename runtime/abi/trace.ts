/**
 * Traces: plain data from workers to control, and from there to responses of the admin API. Texts are text,
 * not bytes; credentials are masked before a trace leaves its worker.
 */
import type { Phase } from "./route-module.js";

/** Filter; absent members match every request. */
export interface TraceMatch {
  method?: string;
  /** Lower case; "*.example.com" matches every name below it. */
  host?: string;
  /** A normalized path, or a prefix of one with "*" at its end. */
  uri?: string;
  route_id?: string;
  /** True: no route matches; false: one does. */
  unrouted?: boolean;
  header?: Readonly<Record<string, string>>;
  /** An address or a network. */
  client?: string;
}

export interface TraceOrder {
  id: string;
  /** Remaining number of requests. */
  count: number;
  forMs: number;
  match: TraceMatch;
}

export type TraceFields = [name: string, value: string][];

/** Change by a plugin; null: absent before, or removed. */
export interface TraceChange {
  of: "request" | "response";
  what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
  name?: string;
  before: string | null;
  after: string | null;
}

export interface TraceStep {
  plugin: string | null;
  /** "services/shop plugins.key-auth" */
  address: string;
  /** Location, "shop.yaml:31:9", or "store"; a worker knows only config paths. */
  place: string;
  /** Microseconds, without the cost of the trace itself. */
  us: number;
  /** Condition of the step, in words; null: none. A worker does not know it. */
  condition: string | null;
  changes: TraceChange[];
}

export interface TracePhase {
  phase: Phase;
  /** "routes/shop" or "global_rules/1" */
  owner: string;
  /** Microseconds from the choice of the route to the start of the phase. */
  at_us: number;
  us: number;
  steps: TraceStep[];
}

interface TraceAttempt {
  upstream: string;
  /** "10.0.0.7:8080" */
  node: string;
  status: number | null;
  /** Reason why the node sent no response ("ECONNREFUSED", "timeout"); `status` is then the gateway's own. */
  error: string | null;
  /** Set on a kept connection. */
  reused: boolean;
  connect_ms: number | null;
  head_ms: number | null;
  ms: number;
  body_bytes: number;
}

/** One request, from its head to the last byte of its response. */
export interface Trace {
  /** Time of the first byte, ISO 8601. */
  at: string;
  worker: number;
  generation: number;
  client: string;
  request: { method: string; target: string; host: string; protocol: string; headers: TraceFields };
  route: {
    id: string;
    name: string | null;
    service: string | null;
    /** Conditions of the route, which this request met. */
    hosts: string[];
    uris: string[];
    methods: string[];
    priority: number;
  } | null;
  phases: TracePhase[];
  attempts: TraceAttempt[];
  /** Request as it was last sent. */
  upstream_request: { method: string; target: string; host: string; headers: TraceFields } | null;
  /** Response as it was received. */
  upstream_response: { status: number; headers: TraceFields } | null;
  /** Response as it was sent; `own`: a local reply. */
  response: { status: number; own: boolean; headers: TraceFields };
  request_bytes: number;
  response_bytes: number;
  response_body_bytes: number;
  ms: number;
  /** Long values were cut, or headers omitted. */
  cut: boolean;
}
