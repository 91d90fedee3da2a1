import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { ProcessGateway } from "../process/gateway.js";
import { type AdminAnswer, exchange } from "./admin.js";

const live = useUpstream();
let gateway: ProcessGateway;
beforeAll(async () => {
  const nodes = { [`127.0.0.1:${await freePort()}`]: 1 };
  gateway = await ProcessGateway.start({
    upstreams: [
      { id: "dead", nodes },
      { id: "pair", nodes: { ...nodes, ...live.nodes } },
    ],
    routes: [
      { id: "a", name: "A", uri: "/a", upstream_id: "dead" },
      { id: "b", uri: "/b", upstream: { nodes }, plugins: { redirect: { uri: "/a" } } },
      { id: "pair", uri: "/pair", upstream_id: "pair" },
    ],
  });
});
afterAll(() => gateway.end());

const overview = (query = "?seconds=60"): Promise<AdminAnswer> =>
  exchange(gateway.adminPort, "GET", `/gw/admin/overview${query}`, undefined, {
    "X-API-KEY": ProcessGateway.KEY,
  });

interface Row {
  id: string;
  requests: number;
  errors_4xx: number;
  errors_5xx: number;
  bytes_out: number;
  p50: number | null;
}

describe("the overview", () => {
  it("the overview counts requests, errors and bytes, in total, per route and per upstream", async () => {
    for (let i = 0; i < 10; i += 1)
      for (const path of ["/a", "/b", "/nowhere"]) await exchange(gateway.port, "GET", path);
    const answer = await until(async () => {
      const { json } = await overview();
      return (json["total"] as Row).requests >= 30 ? json : undefined;
    });
    const [total, routes, upstreams] = ["total", "routes", "upstreams"].map((name) => answer[name]) as [
      Row,
      Row[],
      Row[],
    ];
    expect(total).toMatchObject({ requests: 30, errors_4xx: 10, errors_5xx: 10 });
    expect(answer["unrouted"]).toEqual({ requests: 10, before: null });
    expect(total.bytes_out).toBeGreaterThan(1_000);
    expect(total.p50).toBeGreaterThan(0);
    expect(routes.find(({ id }) => id === "a")).toMatchObject({ requests: 10, errors_5xx: 10 });
    expect(routes.find(({ id }) => id === "b")).toMatchObject({ requests: 10, errors_5xx: 0 });
    expect(upstreams.find(({ id }) => id === "dead")).toMatchObject({ requests: 10, errors_5xx: 10 });
  });

  it("the overview reports workers, readiness, store, diagnostics and what needs attention, errors first", async () => {
    const { json } = await overview();
    const now = json["now"] as Record<string, unknown>;
    expect(now).toMatchObject({ ready: true, reasons: [], read_only: null, generation: 1 });
    expect(now["workers"]).toHaveLength(now["workers_expected"] as number);
    await expect
      .poll(async () => ((await overview()).json["now"] as { workers: object[] }).workers[0])
      .toMatchObject({ memory_bytes: expect.any(Number), loop_lag_ms: expect.any(Number) });
    expect((await overview("?of=routes/a")).json).toMatchObject({ kept: true, total: { requests: 10 } });
    expect((await overview("?of=routes/none")).json).toMatchObject({ kept: false });
    expect(now["store"]).toMatchObject({ bytes: expect.any(Number), history: { entries: 0 } });
    expect(now["findings"]).toMatchObject({ errors: 0 });
    const attention = json["attention"] as { severity: string; kind: string; action: string }[];
    expect(attention[0]).toMatchObject({ severity: "error" });
    expect(attention.map(({ kind }) => kind)).toContain("server_errors");
    expect(attention.every(({ action }) => action.length > 0)).toBe(true);
  });

  it("the overview reports an ejected node with its upstream", async () => {
    const found = await until(async () => {
      for (let i = 0; i < 8; i += 1) await exchange(gateway.port, "GET", "/pair");
      const { json } = await overview();
      return (json["attention"] as { kind: string }[]).find(({ kind }) => kind === "node_out");
    });
    expect(found).toMatchObject({ subject: "upstreams/pair", values: { upstream: "pair" } });
  });

  it.each(["?seconds=9", "?seconds=3601", "?seconds=x", "?seconds=1e3", "?of=a"])(
    "the overview query %s is rejected",
    async (query) => {
      expect((await overview(query)).status).toBe(400);
    },
  );
});

/** Opens the event stream of the overview and collects its events. */
function stream(key = ProcessGateway.KEY): Promise<{
  status: number;
  events: { event: string; data: string }[];
  closed: Promise<void>;
  close(): void;
}> {
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ port: gateway.adminPort, host: "127.0.0.1", path: "/gw/admin/overview/events", agent: false },
      headers: { "X-API-KEY": key },
    });
    call.on("error", reject);
    call.on("response", (response) => {
      const events: { event: string; data: string }[] = [];
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const parts = (rest + chunk).split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          const [event = "", data = ""] = part.split("\n");
          events.push({ event: event.replace("event: ", ""), data: data.replace("data: ", "") });
        }
      });
      const closed = new Promise<void>((done) => response.once("close", () => done()));
      resolve({ status: response.statusCode ?? 0, events, closed, close: () => call.destroy() });
    });
    call.end();
  });
}

describe("the stream of the overview", () => {
  it("the overview stream sends the traffic of each second, and the current state", async () => {
    const { status, events, close } = await stream();
    expect(status).toBe(200);
    await until(() => events.length > 0);
    for (let i = 0; i < 5; i += 1) await exchange(gateway.port, "GET", "/b");
    const seconds = () =>
      events.filter(({ event }) => event === "second").map(({ data }) => JSON.parse(data) as Row);
    const sum = () => seconds().reduce((all, { requests }) => all + requests, 0);
    await until(() => sum() >= 5 && seconds().length >= 3);
    expect(JSON.parse(events.find(({ event }) => event === "state")?.data ?? "{}")).toMatchObject({
      now: { ready: true },
      attention: expect.any(Array),
    });
    close();
  });

  it("the overview stream needs a key, and one key may open 8 streams", async () => {
    expect((await stream("wrong")).status).toBe(401);
    const open = await Promise.all(Array.from({ length: 8 }, () => stream()));
    expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const more = await stream();
    expect(more.status).toBe(503);
    for (const { close } of open) close();
    await until(async () => {
      const again = await stream();
      again.close();
      return again.status === 200;
    });
  });

  it("the overview stream ends with an event when the gateway stops", async () => {
    const { events, closed } = await stream();
    await until(() => events.length > 0);
    gateway.process.kill("SIGTERM");
    await closed;
    expect(events.at(-1)).toEqual({ event: "end", data: '{"reason":"stopping"}' });
  });
});
