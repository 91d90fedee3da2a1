import { ambient } from "../../abi/ambient.js";
import type { AckGate } from "../../http/inbound-request.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { closingPhases } from "./phases.js";
import { abortedStatus, failWith, resetResponse, sendLocalReply } from "./send-response.js";
import type { WorkerContext } from "./worker-context.js";

/** Runs the acknowledge phase once per request; its times are those of a response that ends now. */
export function acknowledge(x: GatewayExchange, path: WorkerContext): void {
  if (x.acknowledged) return;
  x.acknowledged = true;
  x.endedAt = ambient.now();
  closingPhases(x, "acknowledge", path);
  x.endedAt = 0;
}

/** End of a body that a log needs; undefined if there is nothing to wait for. */
function restOfBody({ inbound, requestCapture }: GatewayExchange): Promise<void> | undefined {
  if (requestCapture === undefined || requestCapture.full) return undefined;
  if (!inbound.lateBody || inbound.bodyDone || inbound.decoder === undefined) return undefined;
  return new Promise((resolve) => {
    inbound.onBodyOver = resolve;
  });
}

/** Runs the acknowledge phase before the last byte of a response, and delays that byte as it demands. */
export class ResponseAckGate implements AckGate {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #done: (x: GatewayExchange) => void;

  constructor(x: GatewayExchange, path: WorkerContext, done: (x: GatewayExchange) => void) {
    this.#x = x;
    this.#path = path;
    this.#done = done;
  }

  last(): Promise<void> | undefined {
    const rest = restOfBody(this.#x);
    return rest === undefined ? this.#acknowledged() : rest.then(() => this.#acknowledged());
  }

  #acknowledged(): Promise<void> | undefined {
    acknowledge(this.#x, this.#path);
    return this.#x.heldUntil;
  }

  released(): void {
    this.#done(this.#x);
  }

  /** Replies 503 before the start; cuts a started response, since a client must not take it for complete. */
  refused(reason: unknown, unsent: boolean): void {
    const x = this.#x;
    this.#path.report("not_acknowledged", x, reason);
    if (unsent) {
      x.inbound.gate = undefined;
      resetResponse(x);
      failWith(x, 503);
      sendLocalReply(x, this.#path);
    } else {
      x.bodyBytesSent -= x.inbound.keptBytes;
      x.inbound.abort();
    }
    this.#done(x);
  }

  gone(unsent: boolean): void {
    const x = this.#x;
    x.bodyBytesSent -= x.inbound.keptBytes;
    if (unsent) x.response.status = abortedStatus(x);
    this.#done(x);
  }
}
