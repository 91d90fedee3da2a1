/** Interface between the data path (connections, exchange, phases) and the generation that it serves. */
import type { Exchange, PluginMetadataModule } from "../../abi/exchange.js";
import type { GlobalRuleRow, RouterRow, UpstreamTable } from "../../abi/generation.js";
import type { Credentials } from "../../abi/log.js";
import type { PipelineModule } from "../../abi/route-module.js";
import type { RouteSubject } from "../router/candidate.js";
import type { NodeChange, NodeFailure, NodeHealth } from "../upstream/node-health.js";

export type MatchSubject = Exchange & RouteSubject;

export interface LiveRoute {
  readonly row: RouterRow;
  /** `routeNumber` of its id. */
  readonly number: number;
  /** Loaded in prepare, which rejects invalid modules; null for a route without plugins and vars. */
  readonly module: PipelineModule | null;
  readonly upstream: LiveUpstream | null;
}

export interface LiveGlobalRule {
  readonly row: GlobalRuleRow;
  readonly module: PipelineModule;
}

/** Generation for new requests. Requests in flight keep the one they started with. */
export interface LiveGeneration {
  readonly number: number;
  readonly globalRules: readonly LiveGlobalRule[];
  /** Returns the route for the request, after `match` phases; undefined: 404 Route Not Found. */
  match(subject: MatchSubject): LiveRoute | undefined;
  readonly pluginMetadata: ReadonlyMap<string, PluginMetadataModule>;
  /** Names of headers and parameters that carry credentials, for all routes together; absent: none. */
  readonly credentials?: Credentials;
}

/** Node of an upstream with its connections. */
export interface LiveNode {
  readonly host: string;
  readonly port: number;
  /** Key of the connection pool: scheme, host, port and everything that must not be shared. */
  readonly poolKey: string;
  /** Requests in progress, counted by the data path (for least_conn, ewma). */
  active: number;
  /** Health by its responses and failures. */
  readonly health: NodeHealth;
}

/** Attempt that has ended, or whose response head has arrived. */
export interface EndedAttempt {
  readonly node: LiveNode;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** Time in ms until the response body was complete or the attempt was given up. */
  readonly ms: number;
  /** Undefined if the request was aborted. */
  readonly status: number | undefined;
  /**
   * Name of the failure ("ECONNREFUSED", "timeout"); undefined without one, or if the request was aborted. If
   * set, `status` is the gateway's.
   */
  readonly error?: string | undefined;
}

/** Load balancer over the nodes of one upstream; state survives generations that do not change the table. */
export interface LiveUpstream {
  readonly table: UpstreamTable;
  /** @returns null if all nodes are in `tried` */
  pick(x: Exchange, tried: readonly LiveNode[]): LiveNode | null;
  /** Reports whether the retry budget allows one more retry, and counts it. */
  mayRetry(): boolean;
  /** Every attempt ends in one of three ways; the result is a change that operators should see. */
  answered(attempt: EndedAttempt): NodeChange | undefined;
  /** @param reason undefined: the node may not be the cause */
  failed(attempt: EndedAttempt, reason: NodeFailure | undefined): NodeChange | undefined;
  abandoned(attempt: EndedAttempt): void;
}
