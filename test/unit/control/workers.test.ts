import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DEFAULT_POLICY } from "../../../runtime/abi/tls-policy.js";
import { ABI } from "../../../runtime/abi/version.js";
import { type Committed, Workers } from "../../../runtime/control/workers.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DEFAULT_ADMISSION, type ToControl, type ToWorker } from "../../../runtime/process/messages.js";
import type { IsStarved } from "../../../runtime/process/starvation.js";

const STRETCH = { file: "", offset: 0, length: 0 };
const NEXT = { generation: 5, delta: STRETCH };

/** Workers at a committed generation, with links that record messages and reply by `answer`. */
function workersAt(number: number, planHash = "hash", isStarved: IsStarved = () => false) {
  const committed: Committed = {
    number,
    planHash,
    log: () => STRETCH,
    settings: { drainMs: 0, limits: DEFAULT_LIMITS, admission: DEFAULT_ADMISSION, tls: DEFAULT_POLICY },
    secrets: { known: "a secret" },
    plugins: [{ name: "hello", file: "/run/hello.mjs", hash: "h1", exports: [] }],
    routeAt: (order) => (order < 0 ? undefined : `route-${order}`),
    routeVersion: () => "1",
    globalRuleAt: (index) => `rule-${index}`,
  };
  const workers = new Workers(
    1,
    () => committed,
    undefined,
    undefined,
    () => isStarved,
  );
  const join = (index: number, serves: Partial<ToControl & { type: "hello" }>, answer: Answerer = silent) => {
    const heard: ToWorker[] = [];
    const replaced = vi.fn();
    const attached = workers.attach({
      send: (message) => {
        heard.push(message);
        answer(message, attached.hear);
      },
      replace: replaced,
    });
    const hello = {
      type: "hello",
      worker: index,
      pid: 100 + index,
      abi: ABI,
      generation: 0,
      planHash: "",
    } as const;
    attached.hear({ ...hello, accepting: false, plugins: "hello:h1", ...serves });
    return { heard, replaced, ...attached };
  };
  return { workers, committed, join };
}

type Answerer = (message: ToWorker, hear: (message: ToControl) => void) => void;
const silent: Answerer = () => {};
const willing: Answerer = (message, hear) => {
  if (message.type === "prepare" || message.type === "attempt")
    hear({ type: "prepared", generation: message.generation });
  if (message.type === "activate") hear({ type: "active", generation: message.generation, planHash: "next" });
};
const refusing: Answerer = (message, hear) => {
  if (message.type === "prepare" || message.type === "attempt")
    hear({ type: "refused", generation: message.generation, reason: "no" });
};

describe("a worker that connects", () => {
  it("a new worker receives the committed generation and accepts connections only when it serves it", () => {
    const { join } = workersAt(4);
    const worker = join(0, {});
    expect(worker.heard.map(({ type }) => type)).toEqual(["start"]);
    worker.hear({ type: "active", generation: 4, planHash: "hash" });
    expect(worker.heard.at(-1)).toEqual({ type: "accept", on: true });
  });

  it("a new worker makes the gateway ready only when it listens, since a bound socket refuses connections", () => {
    const { workers, join } = workersAt(4);
    const worker = join(0, {});
    worker.hear({ type: "active", generation: 4, planHash: "hash" });
    expect(workers.lag()?.code).toBe("not_listening");
    worker.hear({ type: "accepting" });
    expect(workers.lag()).toBeUndefined();
  });

  it("a worker that already serves the committed generation is adopted without a message", () => {
    const { workers, join } = workersAt(4);
    const worker = join(0, { generation: 4, planHash: "hash", accepting: true });
    expect(worker.heard).toEqual([]);
    expect(workers.lag()).toBeUndefined();
  });

  it("a worker whose generation has the same number but other content loads again", () => {
    const { join } = workersAt(4);
    expect(join(0, { generation: 4, planHash: "other", accepting: true }).heard).toHaveLength(1);
  });

  it("a worker loads again when the committed generation changed while it was loading", () => {
    const { committed, join } = workersAt(4);
    const worker = join(0, {});
    committed.number = 5;
    worker.hear({ type: "active", generation: 4, planHash: "hash" });
    expect(worker.heard.map((message) => "generation" in message && message.generation)).toEqual([4, 5]);
  });

  it("a worker is replaced if its modules have another interface version", () => {
    const { join } = workersAt(4);
    expect(join(0, { abi: ABI + 1 }).replaced).toHaveBeenCalled();
  });

  it("a worker that served other packages is replaced, and a new one receives the packages", () => {
    const { join } = workersAt(4);
    const serves = { generation: 4, planHash: "hash", accepting: true };
    expect(join(0, { ...serves, plugins: "hello:h0" }).replaced).toHaveBeenCalled();
    const { heard, replaced } = join(1, { plugins: "" });
    expect(replaced).not.toHaveBeenCalled();
    expect(heard).toMatchObject([{ type: "start", plugins: [{ name: "hello", hash: "h1" }] }]);
  });
});

describe("the prepare phase", () => {
  const live = { generation: 4, planHash: "hash", accepting: true };

  it("the prepare phase succeeds when every worker has prepared", async () => {
    const { workers, join } = workersAt(4);
    join(0, live, willing);
    join(1, live, willing);
    expect(await workers.prepare(NEXT)).toEqual({ ok: true });
  });

  it("the prepare phase fails with the reason of a worker that rejects the generation", async () => {
    const { workers, join } = workersAt(4);
    join(0, live, willing);
    join(1, live, refusing);
    expect(await workers.prepare(NEXT)).toEqual({ ok: false, worker: 1, reason: "no" });
  });

  it("the prepare phase replaces a worker that does not reply for 2 s and continues without it", async () => {
    vi.useFakeTimers();
    const { workers, join } = workersAt(4);
    join(0, live, willing);
    const late = join(1, live, silent);
    const prepared = workers.prepare(NEXT);
    await vi.advanceTimersByTimeAsync(2000);
    vi.useRealTimers();
    expect(await prepared).toEqual({ ok: true });
    expect(late.replaced).toHaveBeenCalled();
  });

  it("the prepare phase waits longer by the additional time that it receives", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { workers, join } = workersAt(4);
    const busy = join(0, live, silent);
    const prepared = workers.prepare(NEXT, 5_000);
    await vi.advanceTimersByTimeAsync(6_500);
    expect(busy.replaced).not.toHaveBeenCalled();
    busy.hear({ type: "refused", generation: 5, reason: "no" });
    expect(await prepared).toEqual({ ok: false, worker: 0, reason: "no" });
  });

  it("a dry run to which a worker does not reply fails as temporarily impossible", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { workers, join } = workersAt(4);
    join(0, live, silent);
    const tried = workers.dryRun(NEXT, {});
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await tried).toEqual({ ok: false, worker: 0, reason: "it does not reply", exhausted: true });
  });

  it("a dry run fails as temporarily impossible if its worker ends before the reply", async () => {
    const { workers, join } = workersAt(4);
    join(0, live, willing);
    const killed = join(1, live, silent);
    const tried = workers.dryRun(NEXT, {});
    killed.gone();
    expect(await tried).toEqual({ ok: false, worker: 1, reason: "it has exited", exhausted: true });
  });

  it("a dry run fails as temporarily impossible while no worker serves the live generation", async () => {
    const { workers, join } = workersAt(4);
    const unknown = { ok: false, reason: "no worker serves the live generation", exhausted: true };
    expect(await workers.dryRun(NEXT, {})).toEqual(unknown);
    const starting = join(0, {}, willing);
    expect(await workers.dryRun(NEXT, {})).toEqual(unknown);
    expect(starting.heard.map(({ type }) => type)).toEqual(["start"]);
  });

  it("a dry run fails with the reason of one worker even if another has ended", async () => {
    const { workers, join } = workersAt(4);
    const killed = join(0, live, silent);
    join(1, live, refusing);
    const tried = workers.dryRun(NEXT, {});
    killed.gone();
    expect(await tried).toEqual({ ok: false, worker: 1, reason: "no" });
  });

  it("a dry run succeeds when every worker accepts it", async () => {
    const { workers, join } = workersAt(4);
    join(0, live, willing);
    join(1, live, willing);
    expect(await workers.dryRun(NEXT, {})).toEqual({ ok: true });
  });

  it("the prepare phase waits for a worker that is starved of CPU and accepts its reply after 9 s", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { workers, join } = workersAt(4, "hash", () => true);
    const starved = join(0, live, silent);
    const prepared = workers.prepare(NEXT);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(starved.replaced).not.toHaveBeenCalled();
    starved.hear({ type: "refused", generation: 5, reason: "no" });
    expect(await prepared).toEqual({ ok: false, worker: 0, reason: "no" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(starved.replaced).not.toHaveBeenCalled();
  });

  it("a worker is replaced after 10 s of silence if it is starved of CPU, and at once when it no longer is", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const always = workersAt(4, "hash", () => true);
    const starved = always.join(0, live, silent);
    const patient = always.workers.prepare(NEXT);
    const until5s = workersAt(4, "hash", (silenceMs) => silenceMs < 5_000);
    const recovered = until5s.join(0, live, silent);
    const hurried = until5s.workers.prepare(NEXT);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(recovered.replaced).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(recovered.replaced).toHaveBeenCalledOnce();
    expect(await hurried).toEqual({ ok: true, isUnjudged: true });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(starved.replaced).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(starved.replaced).toHaveBeenCalledOnce();
    expect(await patient).toEqual({ ok: true, isUnjudged: true });
  });

  it("the prepare phase accepts a reply that arrived while control itself did not run for 20 s", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { workers, join } = workersAt(4);
    const worker = join(0, live, silent);
    const prepared = workers.prepare(NEXT);
    // Timers that expired meanwhile fire once each before the sockets are read.
    await vi.advanceTimersByTimeAsync(1_000);
    vi.advanceTimersToNextTimer();
    expect(worker.replaced).not.toHaveBeenCalled();
    worker.hear({ type: "prepared", generation: 5 });
    expect(await prepared).toEqual({ ok: true });
    expect(worker.replaced).not.toHaveBeenCalled();
  });

  it("the prepare phase does not wait for a worker that has ended", async () => {
    const { workers, join } = workersAt(4);
    const killed = join(0, live, silent);
    const prepared = workers.prepare(NEXT);
    killed.gone();
    expect(await prepared).toEqual({ ok: true, isUnjudged: true });
  });

  it("the prepare phase skips a worker that is still loading", async () => {
    const { workers, join } = workersAt(4);
    const starting = join(0, {}, silent);
    expect(await workers.prepare(NEXT)).toEqual({ ok: true, isUnjudged: true });
    expect(starting.heard.map(({ type }) => type)).toEqual(["start"]);
  });
});

describe("the activate phase", () => {
  it("a changed route leaves its quarantine only when no worker serves its old code", async () => {
    const { workers, committed, join } = workersAt(4);
    const live = { generation: 4, planHash: "hash", accepting: true } as const;
    const [first, second] = [join(0, live, willing), join(1, live)];
    first.hear({ type: "stalled", worker: 0, pid: 100, silentMs: 1_000, routeNumber: 1, part: 0 });
    second.hear({ type: "prepared", generation: 5 });
    const holds = () => first.heard.flatMap((message) => (message.type === "hold" ? message.ms : []));
    expect(holds()).toEqual([10_000]);
    Object.assign(committed, { number: 5, planHash: "next", routeVersion: () => "2" });
    const activated = workers.activate(5);
    expect(first.heard.at(-1)).toMatchObject({ type: "start", generation: 5 });
    expect(holds()).toEqual([10_000]);
    for (const worker of [first, second]) worker.hear({ type: "active", generation: 5, planHash: "next" });
    await activated;
    expect(holds()).toEqual([10_000, 0]);
    expect(second.heard.at(-1)).toEqual({ type: "hold", route: "route-1", ms: 0 });
  });

  it("the activate phase activates the prepared generation and ends when all workers have", async () => {
    const { workers, committed, join } = workersAt(4);
    const worker = join(0, { generation: 4, planHash: "hash", accepting: true }, willing);
    await workers.prepare(NEXT);
    Object.assign(committed, { number: 5, planHash: "next" });
    await workers.activate(5);
    expect(worker.heard.map(({ type }) => type)).toEqual(["prepare", "activate"]);
    expect(workers.lag()).toBeUndefined();
  });
});

describe("a route that stalled a worker", () => {
  const live = { generation: 4, planHash: "hash", accepting: true } as const;
  const stalled = { type: "stalled", worker: 0, pid: 100, silentMs: 1_000, routeNumber: 1, part: 0 } as const;

  it("a route stays in quarantine through a generation that does not change it", async () => {
    const { workers, committed, join } = workersAt(4);
    const worker = join(0, live, willing);
    worker.hear(stalled);
    await workers.prepare(NEXT);
    Object.assign(committed, { number: 5, planHash: "next" });
    await workers.activate(5);
    expect(workers.quarantinedRoutes).toMatchObject([{ route: "route-1", stalls: 1 }]);
  });

  it("a route is quarantined even if the worker's report arrives after its end, over another connection", async () => {
    const { workers, committed, join } = workersAt(4);
    const worker = join(0, live);
    worker.gone();
    join(0, { pid: 200 }, willing);
    worker.hear(stalled);
    Object.assign(committed, { number: 5, planHash: "next" });
    await workers.activate(5);
    expect(workers.quarantinedRoutes).toMatchObject([{ route: "route-1", stalls: 1 }]);
  });

  it("a route is not quarantined for code of an earlier generation that ran during an activation", async () => {
    const { workers, committed, join } = workersAt(4);
    const worker = join(0, live);
    Object.assign(committed, { number: 5, planHash: "next", routeVersion: () => "2" });
    const activated = workers.activate(5);
    worker.hear(stalled);
    expect(workers.quarantinedRoutes).toHaveLength(1);
    worker.hear({ type: "active", generation: 5, planHash: "next" });
    await activated;
    expect(workers.quarantinedRoutes).toEqual([]);
  });

  it.each([
    ["stays so where that generation does not change it", "1", [{ route: "route-1", stalls: 1 }]],
    ["is served again where it does, though the end is heard before the report", "2", []],
  ])("a route whose worker ends during an activation %s", async (_, version, held) => {
    const { workers, committed, join } = workersAt(4);
    join(1, live, willing);
    const worker = join(0, live, (message, hear) => {
      if (message.type === "prepare") hear({ type: "prepared", generation: message.generation });
    });
    await workers.prepare(NEXT);
    Object.assign(committed, { number: 5, planHash: "next", routeVersion: () => version });
    const activated = workers.activate(5);
    worker.gone();
    worker.hear(stalled);
    await activated;
    expect(workers.quarantinedRoutes).toMatchObject(held);
    expect(workers.quarantinedRoutes).toHaveLength(held.length);
  });

  it("a deleted route leaves quarantine even if the generation of its worker is unknown", async () => {
    const { workers, committed, join } = workersAt(4);
    const worker = join(0, { ...live, generation: 3 });
    worker.hear(stalled);
    worker.gone();
    Object.assign(committed, { number: 5, planHash: "next", routeVersion: () => undefined });
    await workers.activate(5);
    expect(workers.quarantinedRoutes).toEqual([]);
  });
});

describe("the share of connections", () => {
  it("a worker above 1.5 times the mean of connections is paused and continues below", () => {
    const { join } = workersAt(4);
    const live = { generation: 4, planHash: "hash", accepting: true };
    const busy = join(0, live);
    const idle = join(1, live);
    idle.hear({ type: "stats", connections: 0, requests: 0 });
    busy.hear({ type: "stats", connections: 8, requests: 0 });
    expect(busy.heard).toEqual([{ type: "accept", on: false }]);
    idle.hear({ type: "stats", connections: 6, requests: 0 });
    expect(busy.heard.at(-1)).toEqual({ type: "accept", on: true });
    expect(idle.heard).toEqual([]);
  });

  it("the only worker is never paused", () => {
    const { join } = workersAt(4);
    const only = join(0, { generation: 4, planHash: "hash", accepting: true });
    only.hear({ type: "stats", connections: 500, requests: 0 });
    expect(only.heard).toEqual([]);
  });
});
