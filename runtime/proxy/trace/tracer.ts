import { addresses } from "../../abi/text/addresses.js";
import { utf8 } from "../../abi/text/bytes.js";
import type { TraceMatch, TraceOrder } from "../../abi/trace.js";
import type { GatewayExchange } from "../exchange/exchange.js";
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

/** Reports whether a request matches a trace order; its route is known. */
type Matches = (x: GatewayExchange) => boolean;

/** Creates one test for each property of the order, the cheapest first. */
function matcherOf({ method, host, uri, route_id, unrouted, header, client }: TraceMatch): Matches {
  const tests: Matches[] = [];
  if (method !== undefined) tests.push((x) => x.method === method);
  if (route_id !== undefined) tests.push((x) => x.routeId === route_id);
  if (unrouted !== undefined) tests.push((x) => (x.routeId === undefined) === unrouted);
  if (host !== undefined) tests.push(hostTest(utf8(host)));
  if (uri !== undefined) tests.push(uriTest(utf8(uri)));
  for (const [name, value] of Object.entries(header ?? {})) {
    const bytes = utf8(value);
    tests.push((x) => x.request.headers.get(name) === bytes);
  }
  if (client !== undefined) {
    const block = addresses(client);
    tests.push((x) => block.has(x.remoteAddr));
  }
  return (x) => tests.every((test) => test(x));
}

function hostTest(host: string): Matches {
  if (!host.startsWith("*")) return (x) => x.host === host;
  const end = host.slice(1);
  return (x) => x.host.endsWith(end) && x.host.length > end.length;
}

function uriTest(uri: string): Matches {
  if (!uri.endsWith("*")) return (x) => x.uri === uri;
  const begin = uri.slice(0, -1);
  return (x) => x.uri.startsWith(begin);
}
