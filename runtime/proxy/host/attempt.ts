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

/** @returns null if the upstream's retries, retry timeout or retry budget allow no more */
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
 * Not counted: a connection lost while the client was still sending (servers give up slow clients), an idle
 * connection that the node closed, a malformed response, a timeout of one route only.
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

/** The system's error code if there is one ("ECONNREFUSED"), otherwise the kind. */
export const errorOf = (failure: UpstreamFailure, reason: string): string =>
  /\b(E[A-Z]{3,20})\b/.exec(reason)?.[1] ?? failure;

export class Attempt implements AttemptRecord, EndedAttempt {
  readonly upstream: string;
  readonly node: LiveNode;
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

  answered(status: number): void {
    this.status = status;
    this.ms = ambient.monotonic() - this.startedAt;
    this.headMs = this.ms;
    this.node.active--;
  }

  /** @param status status that the client would get for it; undefined if the request was aborted */
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
