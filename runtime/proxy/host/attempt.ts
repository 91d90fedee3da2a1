import { ambient } from "../../abi/ambient.js";
import type { Timeouts, UpstreamTable } from "../../abi/generation.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { AttemptRecord } from "../exchange/variables.js";
import type { UpstreamFailure } from "../upstream/connection.js";
import type { NodeFailure } from "../upstream/node-health.js";
import type { EndedAttempt, LiveNode, LiveUpstream } from "./contract.js";
import type { WorkerContext } from "./worker-context.js";

/** Methods that may be retried when it is unknown whether the upstream acted (RFC 9110 section 9.2.2). */
export const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** Nearly every exchange tries one node, so the list is made for one. */
export const NONE_TRIED: LiveNode[] = [];

/**
 * Picks a node for a retry, within the retries, the retry timeout and the retry budget of the upstream.
 * @returns null if no retry is possible
 */
export function nextNode(
  path: WorkerContext,
  upstream: LiveUpstream,
  x: GatewayExchange,
  tried: readonly LiveNode[],
  startedAt: number,
): LiveNode | null {
  const { retries, retryTimeout } = upstream.table;
  if (tried.length > retries) return null;
  if (retryTimeout > 0 && ambient.monotonic() - startedAt > retryTimeout * 1_000) return null;
  const node = upstream.pick(x, tried);
  if (node === null) return null;
  if (upstream.mayRetry()) {
    path.metrics?.retried(upstream.table.key);
    return node;
  }
  path.metrics?.retryDenied(upstream.table.key);
  path.report("retry_denied", x, `too many retries at upstream ${upstream.table.key}`);
  return null;
}

/** Shortest timeout in s that counts: a shorter one of a route says nothing about a node that other routes share. */
const TELLING_TIMEOUT_S = 1;

/**
 * Classifies a failure of a node. A connection lost while the client was still sending its body does not
 * count (servers give up slow clients), nor does an idle connection that the node closed. A malformed
 * response and a timeout of one route only do not count either.
 * @returns undefined if client, route or this host may be the cause
 */
export function evidenceOf(
  x: GatewayExchange,
  { reused, connectMs }: Attempt,
  failure: UpstreamFailure,
  { timeout }: UpstreamTable,
  own: Timeouts,
): NodeFailure | undefined {
  if (failure === "connect") return "tcpFailures";
  if (failure === "closed") return reused || !x.inbound.bodyDone ? undefined : "tcpFailures";
  if (failure !== "timeout") return undefined;
  const telling = (limit: keyof Timeouts) => own[limit] >= Math.min(timeout[limit], TELLING_TIMEOUT_S);
  return (connectMs === undefined ? telling("connect") : telling("send") && telling("read"))
    ? "timeouts"
    : undefined;
}

/**
 * Short name of a failure: the system's error code if there is one ("ECONNREFUSED"), otherwise the kind.
 * @param reason text of the connection's error
 */
export const errorOf = (failure: UpstreamFailure, reason: string): string =>
  /\b(E[A-Z]{3,20})\b/.exec(reason)?.[1] ?? failure;

/** Attempt at one node, with its times. */
export class Attempt implements AttemptRecord, EndedAttempt {
  readonly upstream: string;
  readonly node: LiveNode;
  /** True on a reused connection. */
  readonly reused: boolean;
  readonly startedAt: number;
  status: number | undefined = undefined;
  error: string | undefined = undefined;
  connectMs: number | undefined;
  headMs: number | undefined = undefined;
  ms = 0;
  bodyBytes = 0;

  constructor(upstream: string, node: LiveNode, reused: boolean) {
    this.upstream = upstream;
    this.node = node;
    this.reused = reused;
    this.startedAt = ambient.monotonic();
    this.connectMs = reused ? 0 : undefined;
    node.active++;
  }

  connected(): void {
    this.connectMs = ambient.monotonic() - this.startedAt;
  }

  /** The response head has arrived. */
  answered(status: number): void {
    this.status = status;
    this.ms = ambient.monotonic() - this.startedAt;
    this.headMs = this.ms;
    this.node.active--;
  }

  /**
   * The attempt ends without a response head.
   * @param status status that the client would get for it; undefined if the request was aborted
   * @param error name of the failure
   */
  gaveUp(status: number | undefined, error?: string): void {
    this.status = status;
    this.error = error;
    this.ms = ambient.monotonic() - this.startedAt;
    this.node.active--;
  }

  /** The response body is complete or no longer needed. */
  ended(): void {
    this.ms = ambient.monotonic() - this.startedAt;
  }
}
