import "../../../plugins/runtime.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OpenResource, SharedResource } from "../../../runtime/abi/resource.js";
import { ABI } from "../../../runtime/abi/version.js";
import type { HostedGenerations } from "../../../runtime/proxy/host/generations.js";
import { LoadError } from "../../../runtime/proxy/host/load.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, delta, moduleText, request, row, table } from "./artifacts.js";

function hosted(parts = {}, environment: Record<string, string> = {}): HostedGenerations {
  const generations = hostedGenerations({ environment });
  generations.start(1, artifact(parts));
  return generations;
}

const served = (generations: HostedGenerations, uri: string) => generations.live.match(request(uri))?.row.id;
const codeOf = async (work: () => unknown) => {
  try {
    await work();
  } catch (error) {
    return error instanceof LoadError ? [error.code, error.message] : error;
  }
  return "nothing";
};

describe("activation", () => {
  it("a prepared generation serves no request before its activation and all after it", async () => {
    const generations = hosted({ routes: [row("a"), row("b")] });
    await generations.prepare(
      2,
      delta({ routes: { put: [row("c"), row("a", { uris: ["/aa"] })], remove: ["b"] } }),
    );
    expect(["/a", "/b", "/c", "/aa"].map((uri) => served(generations, uri))).toEqual([
      "a",
      "b",
      undefined,
      undefined,
    ]);
    generations.activate();
    expect(["/a", "/b", "/c", "/aa"].map((uri) => served(generations, uri))).toEqual([
      undefined,
      undefined,
      "c",
      "a",
    ]);
    expect(generations.live).toMatchObject({ number: 2, planHash: "p1" });
  });

  it("a request keeps the route, module and upstream of the generation in which it started", async () => {
    const generations = hosted({
      routes: [row("a", { moduleId: "route:a", upstream: "u" })],
      upstreams: [table("u", ["one:1"])],
      modules: [moduleText("route:a", "rewrite(x) { x.method = 'one'; }")],
    });
    const started = generations.live.match(request("/a"));
    const parts = { module: started?.module, upstream: started?.upstream };
    await generations.prepare(
      2,
      delta({
        upstreams: { put: [table("u", ["two:1"])] },
        modules: { put: [moduleText("route:a", "rewrite(x) { x.method = 'two'; }")] },
      }),
    );
    generations.activate();
    expect(started).toMatchObject(parts);
    expect(started?.upstream?.pick(request("/a"), [])?.host).toBe("one");
    const next = generations.live.match(request("/a"));
    expect(next?.upstream?.pick(request("/a"), [])?.host).toBe("two");
    const x = request("/a");
    next?.module?.rewrite?.(x);
    expect(x.method).toBe("two");
  });

  it("a new generation keeps the state of load balancers whose table did not change", async () => {
    const generations = hosted({
      routes: [row("a", { upstream: "u" })],
      upstreams: [table("u", ["one:1", "two:1"]), table("v", ["three:1"])],
    });
    const pick = () => generations.live.match(request("/a"))?.upstream?.pick(request("/a"), [])?.host;
    expect(pick()).toBe("one");
    await generations.prepare(
      2,
      delta({ upstreams: { put: [table("v", ["four:1"])] }, routes: { put: [row("b")] } }),
    );
    generations.activate();
    expect(pick()).toBe("two");
  });

  it("a new start with a full artifact keeps the nodes of an upstream", () => {
    const parts = { routes: [row("a", { upstream: "u" })], upstreams: [table("u", ["one:1", "two:1"])] };
    const generations = hosted(parts);
    const nodes = () => generations.live.match(request("/a"))?.upstream?.pick(request("/a"), []);
    const [one, two] = [nodes(), nodes()];
    generations.start(2, artifact(parts));
    expect([nodes(), nodes()]).toEqual([one, two]);
    expect(nodes()).toBe(one);
  });

  it("a generation calls the match function of a route's module for its vars", () => {
    const generations = hosted({
      routes: [
        row("a", { uris: ["/x"], moduleId: "route:a", hasMatch: true, priority: 1 }),
        row("b", { uris: ["/x"] }),
      ],
      modules: [moduleText("route:a", 'match: (x) => x.method === "POST"')],
    });
    expect(generations.live.match(request("/x", { method: "POST" }))?.row.id).toBe("a");
    expect(served(generations, "/x")).toBe("b");
  });

  it("a new generation replaces the module of a global rule and the list of rules", async () => {
    const generations = hosted({
      globalRules: [{ id: "g", moduleId: "global_rule:g" }],
      modules: [moduleText("global_rule:g", "rewrite(x) { x.method = 'old'; }")],
    });
    const [before] = generations.live.globalRules;
    await generations.prepare(2, delta({ modules: { put: [moduleText("global_rule:g", "log() {}")] } }));
    generations.activate();
    expect(generations.live.globalRules[0]?.module.log).toBeDefined();
    expect(before?.module.rewrite).toBeDefined();
    await generations.prepare(3, delta({ globalRules: [], modules: { remove: ["global_rule:g"] } }));
    generations.activate();
    expect(generations.live.globalRules).toEqual([]);
  });

  it("a delta puts a route and an upstream that it also removes", async () => {
    const generations = hosted({ routes: [row("a", { upstream: "u" })], upstreams: [table("u", ["one:1"])] });
    await generations.prepare(
      2,
      delta({
        routes: { remove: ["a"], put: [row("a", { upstream: "u", uris: ["/new"] })] },
        upstreams: { remove: ["u"], put: [table("u", ["two:1"])] },
      }),
    );
    generations.activate();
    const route = generations.live.match(request("/new"));
    expect(route?.upstream?.pick(request("/new"), [])?.host).toBe("two");
  });
});

describe("a generation is rejected", () => {
  const text = moduleText("route:a", "log() {}");
  const cases: [code: string, reason: string, parts: object][] = [
    [
      "GW6001",
      "the module of route:a does not have its hash",
      {
        modules: { put: [{ ...text, code: `${text.code} ` }] },
      },
    ],
    ["GW6002", `compiled for runtime interface 99, while this runtime has ${ABI}`, { abi: 99 }],
    [
      "GW6003",
      "the module of route:a does not load: Unexpected token ')'",
      {
        modules: { put: [moduleText("route:a", "match: (x => )")] },
      },
    ],
    [
      "GW6003",
      'the module of route:a does not load: "node:fs" is not part of the runtime\'s surface',
      {
        modules: { put: [moduleText("route:a", "", 'require("node:fs");')] },
      },
    ],
    [
      "GW6003",
      "the module of route:a exports no pipeline",
      {
        modules: { put: [moduleText("route:a", "match: 1")] },
      },
    ],
    [
      "GW6004",
      'route "a" refers to the module "route:x", which does not exist',
      {
        routes: { put: [row("a", { moduleId: "route:x" })] },
      },
    ],
    [
      "GW6004",
      'route "b" refers to the upstream "x", which does not exist',
      {
        routes: { put: [row("b", { upstream: "x" })] },
      },
    ],
    ["GW6004", 'the upstream "u" is removed while a route refers to it', { upstreams: { remove: ["u"] } }],
    [
      "GW6004",
      'global rule "g" refers to the module "global_rule:g", which does not exist',
      {
        globalRules: [{ id: "g", moduleId: "global_rule:g" }],
      },
    ],
    [
      "GW6005",
      'upstream "v" needs BACKEND, OTHER in the environment',
      {
        upstreams: { put: [table("v", ["${{BACKEND}}:1", "${{OTHER}}.local:1", "${{BACKEND}}:2"])] },
      },
    ],
    [
      "GW6006",
      'node "${{ODD}}" of upstream "v" becomes "a b", which is not a host',
      {
        upstreams: { put: [table("v", ["${{ODD}}:1"])] },
      },
    ],
  ];

  it.each(cases)("a delta is rejected with %s: %s", async (code, reason, parts) => {
    const generations = hosted(
      { routes: [row("a", { upstream: "u" })], upstreams: [table("u", ["one:1"])] },
      { ODD: "a b" },
    );
    expect(await codeOf(() => generations.prepare(2, delta(parts)))).toEqual([code, reason]);
    expect(await codeOf(() => generations.activate())).toEqual(["GW6004", "no generation is prepared"]);
    expect(generations.live.number).toBe(1);
    expect(served(generations, "/a")).toBe("a");
  });

  it("a full artifact is rejected at a start, and the previous generation stays live", async () => {
    const generations = hosted({ routes: [row("a")] });
    expect(await codeOf(() => generations.start(7, artifact({ abi: 0 })))).toContain("GW6002");
    expect(generations.live.number).toBe(1);
  });
});

it("a generation takes node hosts from the environment", () => {
  const generations = hosted(
    { routes: [row("a", { upstream: "u" })], upstreams: [table("u", ["${{BACKEND}}.${{ZONE:=local}}:1"])] },
    { BACKEND: "orders" },
  );
  expect(generations.live.match(request("/a"))?.upstream?.pick(request("/a"), [])?.host).toBe("orders.local");
});

it("a generation reports an unused connection pool after the last request that may use it", async () => {
  const told: string[][] = [];
  const generations = hostedGenerations({ poolsChanged: (keys) => told.push([...keys]) });
  generations.start(1, artifact({ upstreams: [table("u", ["one:1", "two:1"])] }));
  const { live } = generations;
  generations.entered(live);
  await generations.prepare(2, delta({ upstreams: { put: [table("u", ["one:5"])] } }));
  generations.activate();
  expect(told).toEqual([]);
  generations.left(live);
  expect(told).toEqual([[expect.stringContaining("one:80")]]);
});

describe("shared resources", () => {
  let log: string[];
  beforeEach(() => {
    log = [];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    // The runtime has no plugin with shared resources, so the modules find theirs on the global object.
    (globalThis as Record<string, unknown>)["testResource"] = (key: string): SharedResource => ({
      kind: "sink",
      key,
      open(): OpenResource {
        if (key === "broken") throw new Error("no such sink");
        log.push(`open ${key}`);
        return { drain: (ms) => void log.push(`drain ${key} ${ms}`) };
      },
      use: () => {},
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    delete (globalThis as Record<string, unknown>)["testResource"];
  });

  const using = (moduleId: string, ...keys: string[]) =>
    moduleText(moduleId, `resources: [${keys.map((key) => `testResource("${key}")`)}]`);

  async function update(generations: HostedGenerations, number: number, parts: Parameters<typeof delta>[0]) {
    await generations.prepare(number, delta(parts));
    generations.activate();
  }

  it("a shared resource is opened once for all modules that name it, and drained after the last", async () => {
    const generations = hosted({ modules: [using("route:a", "s"), using("route:b", "s")] });
    expect(log).toEqual(["open s"]);
    await update(generations, 2, { modules: { put: [using("route:a", "t")] } });
    expect(log).toEqual(["open s", "open t"]);
    await update(generations, 3, { modules: { remove: ["route:b"] } });
    expect(log).toEqual(["open s", "open t", "drain s 10000"]);
  });

  it("a shared resource stays open when another module that names it replaces the first", async () => {
    const generations = hosted({ modules: [using("route:a", "s")] });
    await update(generations, 2, { modules: { put: [using("route:a", "s", "t")] } });
    expect(log).toEqual(["open s", "open t"]);
  });

  it("a shared resource is drained after the last request of all older generations", async () => {
    const generations = hosted({ modules: [using("route:a", "s")] });
    const first = generations.live;
    generations.entered(first);
    await update(generations, 2, { routes: { put: [row("x")] } });
    const second = generations.live;
    generations.entered(second);
    await update(generations, 3, { modules: { remove: ["route:a"] } });
    generations.left(second);
    expect(log).toEqual(["open s"]);
    generations.left(first);
    expect(log).toEqual(["open s", "drain s 10000"]);
  });

  it("a shared resource is drained after ten seconds even if a request continues", async () => {
    const generations = hosted({ modules: [using("route:a", "s")] });
    const { live } = generations;
    generations.entered(live);
    await update(generations, 2, { modules: { remove: ["route:a"] } });
    vi.advanceTimersByTime(9_999);
    expect(log).toEqual(["open s"]);
    vi.advanceTimersByTime(1);
    expect(log).toEqual(["open s", "drain s 10000"]);
    generations.left(live);
    expect(log).toHaveLength(2);
  });

  it("a shared resource is drained after ten seconds even if a request of an older generation continues", async () => {
    const generations = hosted({ modules: [using("route:a", "s")] });
    generations.entered(generations.live);
    await update(generations, 2, { routes: { put: [row("x")] } });
    await update(generations, 3, { modules: { remove: ["route:a"] } });
    vi.advanceTimersByTime(10_000);
    expect(log).toEqual(["open s", "drain s 10000"]);
  });

  it("a shared resource of a discarded or rejected generation is closed at once", async () => {
    const generations = hosted();
    await generations.prepare(2, delta({ modules: { put: [using("route:a", "s")] } }));
    generations.discard();
    expect(log).toEqual(["open s", "drain s 0"]);
    const refused = { modules: { put: [using("route:a", "t", "broken")] } };
    expect(await codeOf(() => generations.prepare(2, delta(refused)))).toEqual([
      "GW6007",
      "a resource cannot be opened: no such sink",
    ]);
    expect(log.slice(2)).toEqual(["open t", "drain t 0"]);
  });

  it("all shared resources are drained when the generations close", async () => {
    const generations = hosted({ modules: [using("route:a", "s", "t")] });
    await generations.close(500);
    expect(log.slice(2)).toEqual(["drain s 500", "drain t 500"]);
  });
});
