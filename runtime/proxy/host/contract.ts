/** Between the data path (wire, exchange, phases) and the generation that it serves from. */
import type { Exchange, PluginMetadataModule } from "../../abi/exchange.js";
import type { GlobalRuleRow, RouterRow, UpstreamTable } from "../../abi/generation.js";
import type { Credentials } from "../../abi/log.js";
import type { PipelineModule } from "../../abi/route-module.js";
import type { NodeChange, NodeFailure, NodeHealth } from "../upstream/node-health.js";

/** What the router asks of a request; the exchange implements it. */
export interface MatchSubject extends Exchange {
  /** The router stores path parameters here (`uriParam` reads them). */
  uriParams: Record<string, string> | undefined;
  /** Path as routes compare it. */
  readonly path: string;
}

/** A route of the running generation. */
export interface LiveRoute {
  readonly row: RouterRow;
  /** `routeNumber` of its id. */
  readonly number: number;
  /** Compiled on first use; null for a route without plugins and vars. Throws never: a bad module was refused in prepare. */
  readonly module: PipelineModule | null;
  readonly upstream: LiveUpstream | null;
}

export interface LiveGlobalRule {
  readonly row: GlobalRuleRow;
  readonly module: PipelineModule;
}

/** The generation that new requests start with. Requests in flight keep the one they started with. */
export interface LiveGeneration {
  readonly number: number;
  readonly globalRules: readonly LiveGlobalRule[];
  /** The route that serves the request, after `match` phases; undefined: 404 Route Not Found. */
  match(subject: MatchSubject): LiveRoute | undefined;
  /** Metadata of plugins, by plugin. */
  readonly pluginMetadata: ReadonlyMap<string, PluginMetadataModule>;
  /** What carries credentials, for all routes together; absent: nothing. */
  readonly credentials?: Credentials;
}

/** One node of an upstream with its connections. */
export interface LiveNode {
  readonly host: string;
  readonly port: number;
  /** Key of the connection pool: scheme, host, port and everything that must not be shared. */
  readonly poolKey: string;
  /** Requests under way, kept by the data path (least_conn, ewma). */
  active: number;
  /** What its answers and failures have made of it. */
  readonly health: NodeHealth;
}

/** One try at a node that is over, or whose response head has come. */
export interface EndedAttempt {
  readonly node: LiveNode;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly ms: number;
  /** Undefined when nobody waits for an answer any more. */
  readonly status: number | undefined;
  /** Name of what went wrong ("ECONNREFUSED", "timeout"); undefined: nothing did, or nobody waits any more. */
  readonly error?: string | undefined;
}

/** Balancer over the nodes of one upstream; state survives generations that do not change the table. */
export interface LiveUpstream {
  readonly table: UpstreamTable;
  /** The next node that is not in `tried`, or null when all are used up or there is none. */
  pick(x: Exchange, tried: readonly LiveNode[]): LiveNode | null;
  /** Whether there may be one more further attempt, which is counted then. */
  mayRetry(): boolean;
  /** Each attempt ends in one of three ways. @returns what an operator should hear of */
  answered(attempt: EndedAttempt): NodeChange | undefined;
  /** @param reason undefined: something else than the node may have been the cause */
  failed(attempt: EndedAttempt, reason: NodeFailure | undefined): NodeChange | undefined;
  /** Nobody waits for the answer any more. */
  abandoned(attempt: EndedAttempt): void;
}
