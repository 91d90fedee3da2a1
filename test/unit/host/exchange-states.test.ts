// Every event in every state, on the real exchange between two scripted ends: what the table says happens, and nothing else.
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
  type StateName,
  stateName,
} from "../../../runtime/proxy/host/exchange-states.js";
import { type ExchangeHarness, exchangeHarness, responseHead } from "../../support/exchange-harness.js";

const head = () => responseHead(200, "Content-Length: 100000\r\n");
const coded = () => responseHead(200, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
const switched = () => responseHead(101, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
const LONG = Buffer.alloc(70_000, "x");
const UPPER: BodyFilter = { apply: (text) => text.toUpperCase(), maxBytes: 1 << 20, oversize: "refuse" };

type HeaderFilter = NonNullable<PipelineModule["headerFilter"]>;
/** What plugins do so that a body goes its way. */
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
const bytes = (stand: ExchangeHarness, sent: Buffer) => last(stand).user.data(sent, 0, sent.length);

/** Makes the event happen, as far as anything outside can; undefined: only the exchange itself can. */
const FIRES: Partial<Record<EventName, (stand: ExchangeHarness) => void>> = {
  sent: (stand) => last(stand).user.connected(),
  retried: (stand) => last(stand).fail("connect", true),
  head: (stand) => last(stand).head(head()),
  restPasses: ({ exchange }) => exchange.passRest(),
  ended: (stand) => last(stand).end(),
  completed: ({ exchange }) => exchange.completed(),
  overflowed: (stand) => bytes(stand, LONG),
  failed: (stand) => last(stand).fail("protocol", false),
  refused: ({ exchange }) => exchange.refuse(503, "refused", "as scripted"),
  switched: (stand) => last(stand).user.switched(switched(), Buffer.alloc(0)),
  gone: ({ inbound }) => inbound.aborted(),
};

/** An exchange in that state; in `answered`, what is given runs while plugins see the head. */
function reach(state: StateName, inAnswered: (stand: ExchangeHarness) => void = () => {}): ExchangeHarness {
  const decision = DECISIONS[state];
  const stand: ExchangeHarness = exchangeHarness({
    headerFilter(x) {
      if (state === "answered") inAnswered(stand);
      else if (decision !== undefined) DECIDES[decision]?.(x);
    },
  });
  stand.exchange.start();
  if (state === "connecting") return stand;
  last(stand).user.connected();
  if (state === "sending") return stand;
  if (state === "tunnel") last(stand).user.switched(switched(), Buffer.alloc(0));
  else last(stand).head(state === "filtering" || state === "finishing" ? coded() : head());
  if (state === "finishing") bytes(stand, gzipSync("body"));
  if (state === "finishing" || state === "done") last(stand).end();
  return stand;
}

/** All that an event could change. */
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
/** Told exactly when the client has all that it gets. */
const isTold = (state: StateName) => (state === "done" || state === "draining" ? 1 : 0);

/** The exchange is brought to its end, which must leave nothing behind. */
function finish(stand: ExchangeHarness): void {
  stand.inbound.aborted();
  if (stand.exchange.state === "draining") last(stand).end();
  expect(stand.exchange.state).toBe("done");
  expect(stand.told.done).toBe(1);
  expect(responses(stand)).toBeLessThanOrEqual(1);
  expect(stand.nodes.filter(({ active }) => active !== 0)).toEqual([]);
  expect(stand.context.connections.map(({ exits }) => exits)).toEqual(stand.context.connections.map(() => 1));
}

const STATES = Object.keys(STATE) as StateName[];
const EVENTS = Object.keys(EVENT) as EventName[];
const entries = EVENTS.flatMap((event) =>
  STATES.map((state) => ({ event, state, next: nextState(STATE[state], EVENT[event]) })),
);
const possible = entries.filter(({ next }) => next < IGNORED);
const ignored = entries.filter(({ next }) => next === IGNORED);
const never = entries.filter(({ next }) => next === IMPOSSIBLE);
/** What from outside is another event there: a piece of a body that somebody takes, a failure that ends the exchange, a tunnel's own client. */
const isAnother = (event: EventName, state: StateName) =>
  (event === "overflowed" && (state === "passing" || state === "filtering")) ||
  (event === "retried" && nextState(STATE[state], EVENT.failed) < IGNORED) ||
  (event === "gone" && state === "tunnel");

describe("the states of an exchange", () => {
  it("are reached as the table says", () => {
    for (const state of STATES) {
      const found: StateName[] = [];
      const stand = reach(state, ({ exchange }) => found.push(exchange.state));
      found.unshift(stand.exchange.state);
      expect(found.at(-1)).toBe(state);
      expect(stand.events).toEqual([]);
      expect(stand.told.done).toBe(isTold(stand.exchange.state));
      finish(stand);
    }
  });

  it.each(possible)("$state: $event happens", ({ event, state, next }) => {
    const decides = DECIDES[event];
    const fire = event === "closed" ? ({ inbound }: ExchangeHarness) => inbound.aborted() : FIRES[event];
    if (decides !== undefined) {
      expect(state).toBe("answered");
      const stand = exchangeHarness({ headerFilter: decides });
      stand.exchange.start();
      last(stand).user.connected();
      last(stand).head(head());
      expect(stand.exchange.state).toBe(stateName(next));
      finish(stand);
      return;
    }
    if (fire === undefined) throw new Error(`nothing makes ${event} happen`);
    let after: StateName | undefined;
    if (event === "refused" && state === "connecting") {
      const stand = exchangeHarness({}, 0);
      stand.exchange.start();
      expect(stand.exchange.state).toBe("done");
      expect(stand.client.sent).toMatch(/^HTTP\/1\.1 503 /);
      finish(stand);
      return;
    }
    const stand = reach(state, (at) => {
      if (event === "refused") throw new Error("a plugin that fails");
      fire(at);
      after = at.exchange.state;
    });
    if (state !== "answered") fire(stand);
    // Behind the head stands the decision about the body, in the same turn.
    const reached = event === "head" ? "passing" : stateName(next);
    expect(after ?? stand.exchange.state).toBe(reached);
    expect(impossible(stand)).toBe(0);
    expect(stand.told.done).toBe(isTold(stand.exchange.state));
    finish(stand);
  });

  it.each(ignored)("$state: $event changes nothing", ({ event, state }) => {
    const stand = reach(state);
    const before = seen(stand);
    FIRES[event]?.(stand);
    if (event !== "failed" && event !== "retried") expect(seen(stand)).toEqual(before);
    expect({ ...seen(stand), connections: [] }).toEqual({ ...before, connections: [] });
    expect(stand.events).toEqual([]);
  });

  it.each(never)("$state: $event is reported, and changes nothing", ({ event, state }) => {
    const fire = FIRES[event];
    if (fire === undefined || isAnother(event, state)) return;
    const look = (stand: ExchangeHarness) => {
      const before = seen(stand);
      fire(stand);
      expect({ ...seen(stand), connections: [] }).toEqual({ ...before, connections: [] });
      expect(stand.events).toEqual(["impossible_event"]);
    };
    if (state === "answered") reach(state, look);
    else look(reach(state));
  });

  it("names every event of the outside and every decision", () => {
    const own = EVENTS.filter((event) => FIRES[event] === undefined);
    expect(own).toEqual(["passes", "filters", "leftOut", "replaced", "closed"]);
    for (const { event, state } of possible)
      if (own.includes(event)) expect(state).toBe(event === "closed" ? "tunnel" : "answered");
  });

  it.each([
    ["before anything has left", "Content-Length: 3\r\n", "filtering", /^HTTP\/1\.1 502 /],
    ["once something has left", "Content-Length: 100000\r\n", "passing", /^HTTP\/1\.1 200 /],
  ] as const)("answers or cuts when the upstream fails %s", (_, fields, state, sent) => {
    const stand = exchangeHarness({
      headerFilter: (x) => state === "filtering" && x.response.filterBody(UPPER),
    });
    stand.exchange.start();
    last(stand).user.connected();
    last(stand).head(responseHead(200, fields));
    bytes(stand, Buffer.alloc(2_000, "x").subarray(0, state === "passing" ? 2_000 : 1));
    expect(stand.exchange.state).toBe(state);
    last(stand).fail("closed", false);
    expect(stand.client.sent).toMatch(sent);
    expect(stand.client.destroyed).toBe(state === "passing" ? 1 : 0);
    finish(stand);
  });

  it("ends what was filtered off the event loop once, whether the client stays or goes", async () => {
    for (const goes of [false, true]) {
      const stand = reach("finishing");
      if (goes) stand.inbound.aborted();
      await expect.poll(() => stand.exchange.state).toBe("done");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(stand.told.done).toBe(1);
      expect(stand.client.sent).toMatch(goes ? /^$/ : /BODY$/);
    }
  });
});
