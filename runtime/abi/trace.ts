/**
 * Traces of requests: plain data that crosses from workers to control, and from there to the answers of the admin API.
 * Texts are text, not bytes; credentials are masked before a trace leaves its worker.
 */
import type { Phase } from "./route-module.js";

/** What a request must be like; what is absent is not asked. */
export interface TraceMatch {
  method?: string;
  /** Lower case; "*.example.com" stands for every name below it. */
  host?: string;
  /** A path in normal form, or with "*" at its end what begins so. */
  uri?: string;
  route_id?: string;
  /** True: no route takes it; false: one does. */
  unrouted?: boolean;
  /** Values of fields by their names. */
  header?: Readonly<Record<string, string>>;
  /** An address or a network. */
  client?: string;
}

/** What workers are asked to look for. */
export interface TraceOrder {
  id: string;
  /** Requests that are wanted still. */
  count: number;
  /** Milliseconds for which it holds. */
  forMs: number;
  match: TraceMatch;
}

/** Fields of a head in their order. */
export type TraceFields = [name: string, value: string][];

/** Something that a plugin made another than it was; null: it was not there, or is no longer. */
export interface TraceChange {
  of: "request" | "response";
  what: "method" | "target" | "host" | "header" | "consumer" | "status" | "body" | "answer";
  /** Of a field. */
  name?: string;
  before: string | null;
  after: string | null;
}

/** What one plugin did in a phase. */
export interface TraceStep {
  plugin: string | null;
  /** "services/shop plugins.key-auth" */
  address: string;
  /** "shop.yaml:31:9", or "store"; a worker knows addresses alone. */
  place: string;
  /** Microseconds, what the trace itself takes left out. */
  us: number;
  /** When it does something, in words; null: always. A worker does not know it. */
  condition: string | null;
  changes: TraceChange[];
}

/** One phase of one module. */
export interface TracePhase {
  phase: Phase;
  /** "routes/shop" or "global_rules/1" */
  owner: string;
  /** Microseconds from when the route was known to its begin. */
  at_us: number;
  us: number;
  steps: TraceStep[];
}

export interface TraceAttempt {
  upstream: string;
  /** "10.0.0.7:8080" */
  node: string;
  status: number | null;
  /** Why the node answered nothing ("ECONNREFUSED", "timeout"): then `status` is the gateway's own. */
  error: string | null;
  /** On a connection that was kept. */
  reused: boolean;
  connect_ms: number | null;
  head_ms: number | null;
  ms: number;
  body_bytes: number;
}

/** One request, from its head to the last byte of its response. */
export interface Trace {
  /** When its first byte came, ISO 8601. */
  at: string;
  worker: number;
  generation: number;
  client: string;
  request: { method: string; target: string; host: string; protocol: string; headers: TraceFields };
  route: {
    id: string;
    name: string | null;
    service: string | null;
    /** What it asks of requests, and this one had. */
    hosts: string[];
    uris: string[];
    methods: string[];
    priority: number;
  } | null;
  phases: TracePhase[];
  attempts: TraceAttempt[];
  /** As it was sent last. */
  upstream_request: { method: string; target: string; host: string; headers: TraceFields } | null;
  /** As it was received. */
  upstream_response: { status: number; headers: TraceFields } | null;
  /** As it was sent; `own`: the gateway made it. */
  response: { status: number; own: boolean; headers: TraceFields };
  request_bytes: number;
  response_bytes: number;
  response_body_bytes: number;
  ms: number;
  /** Long values were cut, or fields left out. */
  cut: boolean;
}
