import type { GatewayExchange } from "../exchange/exchange.js";
import type { AttemptRecord } from "../exchange/variables.js";
import type { LiveNode, LiveUpstream } from "./contract.js";

/** Methods that may be sent again when it is unknown whether the upstream acted (RFC 9110 section 9.2.2). */
export const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** Nearly every exchange tries one node, so the list is made for one. */
export const NONE_TRIED: LiveNode[] = [];

/** The node for another attempt, within the number and the time that the upstream allows. */
export function nextNode(
  upstream: LiveUpstream,
  x: GatewayExchange,
  tried: readonly LiveNode[],
  startedAt: number,
): LiveNode | null {
  const { retries, retryTimeout } = upstream.table;
  if (tried.length > retries) return null;
  if (retryTimeout > 0 && performance.now() - startedAt > retryTimeout * 1_000) return null;
  return upstream.pick(x, tried);
}

/** One try at one node, and its times. */
export class Attempt implements AttemptRecord {
  readonly node: LiveNode;
  /** On a connection that was kept. */
  readonly reused: boolean;
  readonly startedAt: number;
  status: number | undefined = undefined;
  connectMs: number | undefined;
  headMs: number | undefined = undefined;
  ms = 0;
  bodyBytes = 0;

  constructor(node: LiveNode, reused: boolean) {
    this.node = node;
    this.reused = reused;
    this.startedAt = performance.now();
    this.connectMs = reused ? 0 : undefined;
    node.active++;
  }

  connected(): void {
    this.connectMs = performance.now() - this.startedAt;
  }

  /** The response head has come. */
  answered(status: number): void {
    this.status = status;
    this.ms = performance.now() - this.startedAt;
    this.headMs = this.ms;
    this.node.active--;
  }

  /** No response head will come. `status`: what the client would get for it; undefined when nobody waits for it any more. */
  gaveUp(status: number | undefined): void {
    this.status = status;
    this.ms = performance.now() - this.startedAt;
    this.node.active--;
  }

  /** The response body is complete, or no more of it is wanted. */
  ended(): void {
    this.ms = performance.now() - this.startedAt;
  }
}
