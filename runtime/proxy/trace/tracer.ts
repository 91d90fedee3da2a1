import type { TraceOrder } from "../../abi/trace.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { type Matches, matcherOf } from "./matcher.js";
import { Recorder } from "./recorder.js";

/** @param ids ids of the trace orders that wanted the request */
type Caught = (ids: readonly string[], recorder: Recorder, x: GatewayExchange) => void;

interface Armed {
  id: string;
  left: number;
  matches: Matches;
  timer: NodeJS.Timeout;
}

/** Without orders `begin` and `end` are undefined: a request costs a look at them, and runs unchanged modules. */
export class Tracer {
  begin: ((x: GatewayExchange) => void) | undefined = undefined;
  readonly #caught: Caught;
  readonly #listening: (end: ((x: GatewayExchange) => void) | undefined) => void;
  readonly #armed = new Map<string, Armed>();
  readonly #recorders = new Map<GatewayExchange, Recorder>();

  /** @param listening sets the callback for finished requests; undefined if it is not needed */
  constructor(caught: Caught, listening: (end: ((x: GatewayExchange) => void) | undefined) => void) {
    this.#caught = caught;
    this.#listening = listening;
  }

  /** @param orders all active trace orders */
  arm(orders: readonly TraceOrder[]): void {
    const ids = new Set(orders.map(({ id }) => id));
    for (const id of this.#armed.keys()) if (!ids.has(id)) this.#forget(id);
    for (const { id, count, forMs, match } of orders) {
      if (this.#armed.has(id)) continue;
      const timer = setTimeout(() => {
        this.#forget(id);
        this.#settle();
      }, forMs).unref();
      this.#armed.set(id, { id, left: count, matches: matcherOf(match), timer });
    }
    this.#settle();
  }

  #forget(id: string): void {
    clearTimeout(this.#armed.get(id)?.timer);
    this.#armed.delete(id);
  }

  #settle(): void {
    const isWanted = [...this.#armed.values()].some(({ left }) => left > 0);
    this.begin = isWanted ? this.#begin : undefined;
    this.#listening(isWanted || this.#recorders.size > 0 ? this.#end : undefined);
  }

  readonly #begin = (x: GatewayExchange): void => {
    const wanting = [...this.#armed.values()].filter(({ left, matches }) => left > 0 && matches(x));
    if (wanting.length === 0) return;
    for (const armed of wanting) armed.left -= 1;
    const ids = wanting.map(({ id }) => id);
    this.#recorders.set(x, new Recorder(x, ids));
    this.#settle();
  };

  readonly #end = (x: GatewayExchange): void => {
    const recorder = this.#recorders.get(x);
    if (recorder === undefined) return;
    this.#recorders.delete(x);
    // Before anything that could fail: the generation counts its requests.
    x.generation = recorder.generation;
    this.#settle();
    this.#caught(recorder.ids, recorder, x);
  };
}
