import type { AttemptRecord } from "../exchange/variables.js";
import type { LiveNode } from "./contract.js";

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
  /** The head of the request has been given to the connection. */
  sent = false;

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
