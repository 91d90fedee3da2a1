// Every event in every state, on the real exchange between two scripted ends, against the transition table.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BodyFilter } from "../../../runtime/abi/exchange.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import {
  EVENT,
  type EventName,
  IGNORED,
  IMPOSSIBLE,
  nextState,
  STATE,
  STATE_NAMES,
  type StateName,
} from "../../../runtime/proxy/host/exchange-states.js";
import { type ExchangeHarness, exchangeHarness, responseHead } from "../../support/exchange-harness.js";

const head = () => responseHead(200, "Content-Length: 100000\r\n");
const coded = () => responseHead(200, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
const switched = () => responseHead(101, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
const LONG = Buffer.alloc(70_000, "x");
const UPPER: BodyFilter = { apply: (text) => text.toUpperCase(), maxBytes: 1 << 20, oversize: "refuse" };

type HeaderFilter = NonNullable<PipelineModule["headerFilter"]>;
/** Header filters that decide how the gateway handles the body. */
const DECIDES: Partial<Record<EventName, HeaderFilter>> = {
  passes: () => {},
  filters: (x) => x.response.filterBody(UPPER),
  leftOut: (x) => {
    x.response.status = 204;
  },
  replaced: (x) => x.response.replaceBody("new"),
};
const DECISIONS: Partial<Record<StateName, EventName>> = {
  passing: "passes",
  filtering: "filters",
  finishing: "filters",
  bodiless: "leftOut",
  draining: "replaced",
};

const last = ({ context }: ExchangeHarness) => {
  const connection = context.connections.at(-1);
  if (connection === undefined) throw new Error("there is no connection");
  return connection;
};
const bytes = (harness: ExchangeHarness, sent: Buffer) => last(harness).user.data(sent, 0, sent.length);

/** Triggers the event from outside; undefined: only the exchange itself can. */
const FIRES: Partial<Record<EventName, (harness: ExchangeHarness) => void>> = {
  sent: (harness) => last(harness).user.connected(),
  retried: (harness) => last(harness).fail("connect", true),
  head: (harness) => last(harness).head(head()),
  restPasses: ({ exchange }) => exchange.passRest(),
  ended: (harness) => last(harness).end(),
  completed: ({ exchange }) => exchange.completed(),
  overflowed: (harness) => bytes(harness, LONG),
  failed: (harness) => last(harness).fail("protocol", false),
  refused: ({ exchange }) => exchange.broken("refused", "as scripted", 503),
  switched: (harness) => last(harness).user.switched(switched(), Buffer.alloc(0)),
  gone: ({ inbound }) => inbound.aborted(),
};

/** Exchange in that state; in `answered`, `inAnswered` runs while plugins see the head. */
function reach(state: StateName, inAnswered: (harness: ExchangeHarness) => void = () => {}): ExchangeHarness {
  const decision = DECISIONS[state];
  const harness: ExchangeHarness = exchangeHarness({
    headerFilter(x) {
      if (state === "answered") inAnswered(harness);
      else if (decision !== undefined) DECIDES[decision]?.(x);
    },
  });
  harness.exchange.start();
  if (state === "connecting") return harness;
  last(harness).user.connected();
  if (state === "sending") return harness;
  if (state === "tunnel") last(harness).user.switched(switched(), Buffer.alloc(0));
  else last(harness).head(state === "filtering" || state === "finishing" ? coded() : head());
  if (state === "finishing") bytes(harness, gzipSync("body"));
  if (state === "finishing" || state === "done") last(harness).end();
  return harness;
}

/** Everything that an event could change. */
const seen = ({ exchange, client, told, nodes, context }: ExchangeHarness) => ({
  state: exchange.state,
  sent: client.sent,
  destroyed: client.destroyed,
  done: told.done,
  active: nodes.map(({ active }) => active),
  connections: context.connections.map(({ dead }) => dead),
});
const responses = ({ client }: ExchangeHarness) => client.sent.match(/HTTP\/1\.1 [2-5]\d\d /g)?.length ?? 0;
const impossible = ({ events }: ExchangeHarness) =>
  events.filter((event) => event === "impossible_event").length;
/** Calls of `done`: one as soon as the client has received everything. */
const isTold = (state: StateName) => (state === "done" || state === "draining" ? 1 : 0);

/** Ends the exchange and checks that nothing is left. */
function finish(harness: ExchangeHarness): void {
  harness.inbound.aborted();
  if (harness.exchange.state === "draining") last(harness).end();
  expect(harness.exchange.state).toBe("done");
  expect(harness.told.done).toBe(1);
  expect(responses(harness)).toBeLessThanOrEqual(1);
  expect(harness.nodes.filter(({ active }) => active !== 0)).toEqual([]);
  expect(harness.context.connections.map(({ exits }) => exits)).toEqual(
    harness.context.connections.map(() => 1),
  );
}

/**
 * Cases in which a trigger causes another event: a piece of a body is consumed, a failure ends the exchange,
 * a tunnel has its own client.
 */
const isAnother = (event: EventName, state: StateName) =>
  (event === "overflowed" && (state === "passing" || state === "filtering")) ||
  (event === "retried" && nextState(STATE[state], EVENT.failed) < IGNORED) ||
  (event === "gone" && state === "tunnel");

const STATES = Object.keys(STATE) as StateName[];
const EVENTS = Object.keys(EVENT) as EventName[];
const entries = EVENTS.flatMap((event) =>
  STATES.map((state) => ({ event, state, next: nextState(STATE[state], EVENT[event]) })),
);
const possible = entries.filter(({ next }) => next < IGNORED);
const ignored = entries.filter(({ next }) => next === IGNORED);
const never = entries.filter(
  ({ event, state, next }) => next === IMPOSSIBLE && FIRES[event] !== undefined && !isAnother(event, state),
);
describe("the states of an exchange", () => {
  it("an exchange reaches every state, without an unexpected event", () => {
    for (const state of STATES) {
      const found: StateName[] = [];
      const harness = reach(state, ({ exchange }) => found.push(exchange.state));
      found.unshift(harness.exchange.state);
      expect(found.at(-1)).toBe(state);
      expect(harness.events).toEqual([]);
      expect(harness.told.done).toBe(isTold(harness.exchange.state));
      finish(harness);
    }
  });

  it.each(possible)(
    "an exchange in state $state changes its state at event $event",
    ({ event, state, next }) => {
      const decides = DECIDES[event];
      const fire = event === "closed" ? ({ inbound }: ExchangeHarness) => inbound.aborted() : FIRES[event];
      if (decides !== undefined) {
        expect(state).toBe("answered");
        const harness = exchangeHarness({ headerFilter: decides });
        harness.exchange.start();
        last(harness).user.connected();
        last(harness).head(head());
        expect(harness.exchange.state).toBe(STATE_NAMES[next]);
        finish(harness);
        return;
      }
      if (fire === undefined) throw new Error(`nothing makes ${event} happen`);
      let after: StateName | undefined;
      if (event === "refused" && state === "connecting") {
        const harness = exchangeHarness({}, 0);
        harness.exchange.start();
        expect(harness.exchange.state).toBe("done");
        expect(harness.client.sent).toMatch(/^HTTP\/1\.1 503 /);
        finish(harness);
        return;
      }
      const harness = reach(state, (at) => {
        if (event === "refused") throw new Error("a plugin that fails");
        fire(at);
        after = at.exchange.state;
      });
      if (state !== "answered") fire(harness);
      // The decision about the body follows the head in the same turn.
      const reached = event === "head" ? "passing" : STATE_NAMES[next];
      expect(after ?? harness.exchange.state).toBe(reached);
      expect(impossible(harness)).toBe(0);
      expect(harness.told.done).toBe(isTold(harness.exchange.state));
      finish(harness);
    },
  );

  it.each(ignored)("an exchange in state $state ignores event $event", ({ event, state }) => {
    const harness = reach(state);
    const before = seen(harness);
    FIRES[event]?.(harness);
    if (event !== "failed" && event !== "retried") expect(seen(harness)).toEqual(before);
    expect({ ...seen(harness), connections: [] }).toEqual({ ...before, connections: [] });
    expect(harness.events).toEqual([]);
  });

  it.each(never)(
    "an exchange in state $state reports event $event as impossible and does not change",
    ({ event, state }) => {
      const look = (harness: ExchangeHarness) => {
        const before = seen(harness);
        FIRES[event]?.(harness);
        expect({ ...seen(harness), connections: [] }).toEqual({ ...before, connections: [] });
        expect(harness.events).toEqual(["impossible_event"]);
      };
      if (state === "answered") reach(state, look);
      else look(reach(state));
    },
  );

  it('all events but the decisions about a body and "closed" have a trigger in these tests', () => {
    const own = EVENTS.filter((event) => FIRES[event] === undefined);
    expect(own).toEqual(["passes", "filters", "leftOut", "replaced", "closed"]);
    for (const { event, state } of possible)
      if (own.includes(event)) expect(state).toBe(event === "closed" ? "tunnel" : "answered");
  });

  it.each([
    ["before anything has left", "Content-Length: 3\r\n", "filtering", /^HTTP\/1\.1 502 /],
    ["once something has left", "Content-Length: 100000\r\n", "passing", /^HTTP\/1\.1 200 /],
  ] as const)(
    "an exchange responds with 502 or cuts the connection when the upstream fails %s",
    (_, fields, state, sent) => {
      const harness = exchangeHarness({
        headerFilter: (x) => state === "filtering" && x.response.filterBody(UPPER),
      });
      harness.exchange.start();
      last(harness).user.connected();
      last(harness).head(responseHead(200, fields));
      bytes(harness, Buffer.alloc(2_000, "x").subarray(0, state === "passing" ? 2_000 : 1));
      expect(harness.exchange.state).toBe(state);
      last(harness).fail("closed", false);
      expect(harness.client.sent).toMatch(sent);
      expect(harness.client.destroyed).toBe(state === "passing" ? 1 : 0);
      finish(harness);
    },
  );

  it("an exchange that filters off the event loop ends once, whether the client stays or leaves", async () => {
    for (const goes of [false, true]) {
      const harness = reach("finishing");
      if (goes) harness.inbound.aborted();
      await expect.poll(() => harness.exchange.state).toBe("done");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(harness.told.done).toBe(1);
      expect(harness.client.sent).toMatch(goes ? /^$/ : /BODY$/);
    }
  });
});
