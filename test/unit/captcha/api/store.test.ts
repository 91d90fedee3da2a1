import { afterEach, describe, expect, it } from "vitest";
import { substitutes } from "../../../../plugins/captcha/service/api/task-choice.js";
import { type StateStore, StorageError } from "../../../../plugins/captcha/service/contract.js";
import { TasksBusyError } from "../../../../plugins/captcha/service/tasks/tasks.js";
import { botTick, CaptchaApi, type Visitor } from "../../../support/captcha-api.js";
import { captchaLimits } from "../../../support/captcha-limits.js";

let api: CaptchaApi;
afterEach(() => api.close());

const UNAVAILABLE = {
  status: 503,
  body: { error: "service_unavailable", retryable: true, retry_after_ms: 2_000 },
};

/** A store that fails at one operation on one kind of entry, after `fail`. */
function failing(): { fail(operation: string): void; mend(): void; wrap: (own: StateStore) => StateStore } {
  let failure = "";
  const guard = (operation: string, key: string) => {
    if (`${operation} ${key.split("/")[0]}` === failure) throw new StorageError("gone");
  };
  return {
    fail(operation) {
      failure = operation;
    },
    mend() {
      failure = "";
    },
    wrap: (own) => ({
      ...own,
      async put(key, value, ttlMs, place) {
        guard("put", key);
        await own.put(key, value, ttlMs, place);
      },
      get: (key) => own.get(key),
      usage: () => own.usage(),
      close: () => own.close(),
      async take(key) {
        guard("take", key);
        return await own.take(key);
      },
    }),
  };
}

/** Counts how often calls wait for the store: simultaneous operations are one wait. */
function counting(): { count: number; wrap: (own: StateStore) => StateStore } {
  const waits = { count: 0, wrap: (own: StateStore) => own };
  let open = 0;
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    if (open++ === 0) waits.count++;
    try {
      return await answer;
    } finally {
      open--;
    }
  };
  waits.wrap = (own) => ({
    put: (...entry) => asked(own.put(...entry)),
    get: (key) => asked(own.get(key)),
    take: (key) => asked(own.take(key)),
    usage: () => own.usage(),
    close: () => own.close(),
  });
  return waits;
}

/** Default of `captcha.store.timeout`, and the widget's timeout of a call, in ms. */
const [COMMAND_MS, WIDGET_MS] = [2_000, 20_000];

async function opened(): Promise<{ store: ReturnType<typeof failing>; visitor: Visitor }> {
  const store = failing();
  api = await CaptchaApi.open({ states: store.wrap });
  return { store, visitor: api.visitor() };
}

describe("a store that takes its whole timeout for each command", () => {
  it("every call of a visitor ends within the widget's timeout when the store is slow", async () => {
    const waits = counting();
    api = await CaptchaApi.open({ states: waits.wrap });
    const visitor = api.visitor();
    const ends = async (call: () => Promise<{ body: Record<string, unknown> }>) => {
      waits.count = 0;
      const { body } = await call();
      expect(waits.count).toBeGreaterThan(0);
      expect(waits.count * COMMAND_MS).toBeLessThan(WIDGET_MS);
      return body["outcome"];
    };
    await ends(() => visitor.begin());
    expect(await ends(() => visitor.tick(botTick()))).toBe("task");
    await visitor.next("rings");
    api.clock.advance(60_000);
    // Gives up the shown task and stores another with its pictures: eight waits.
    expect(await ends(() => visitor.ask("shapes"))).toBe("task");
    expect(waits.count).toBe(8);
    expect(await ends(() => visitor.answer(api.tasks.solution()))).toBe("token");
  });
});

describe("a store that fails", () => {
  it("a failing store leads to 503 with Retry-After, and the visitor continues when it is back", async () => {
    const { store, visitor } = await opened();
    store.fail("put session");
    const refused = await visitor.begin();
    expect(refused).toMatchObject(UNAVAILABLE);
    expect(refused.headers.get("retry-after")).toBe("2");
    store.mend();
    await visitor.begin();
    store.fail("take session");
    expect(await visitor.tick()).toMatchObject(UNAVAILABLE);
    store.mend();
    expect((await visitor.tick()).body["outcome"]).toBe("token");
  });

  it("a task that cannot be announced costs neither the session nor the tick", async () => {
    const { store, visitor } = await opened();
    const seen = botTick();
    await visitor.begin();
    store.fail("put task-ref");
    expect(await visitor.tick(seen)).toMatchObject(UNAVAILABLE);
    store.mend();
    const { body } = await visitor.tick(seen);
    expect(body["outcome"]).toBe("task");
    const record = await api.parts.states.get(`session/${visitor.session}`);
    expect(record).toMatchObject({ tick: { reasons: [{ code: "webdriver" }] } });
  });

  it("a task that cannot be stored leaves the session as it was", async () => {
    const { store, visitor } = await opened();
    await visitor.arrive(botTick());
    for (const operation of ["put task", "put part", "take session"]) {
      store.fail(operation);
      expect([operation, (await visitor.ask("shapes")).status]).toEqual([operation, 503]);
      store.mend();
    }
    await visitor.next("shapes");
    store.fail("take task");
    expect(await visitor.answer(api.tasks.solution())).toMatchObject(UNAVAILABLE);
    store.mend();
    expect((await visitor.answer(api.tasks.solution())).body["outcome"]).toBe("token");
  });

  it("a failing store leads to 503 for pictures without details, and the picture can be fetched later", async () => {
    const { store, visitor } = await opened();
    await visitor.arrive(botTick());
    await visitor.next("shapes");
    store.fail("take part");
    const { status, body } = await visitor.part(`/task/${visitor.task}/grid.png`);
    expect([status, JSON.parse(body.toString())]).toEqual([503, UNAVAILABLE.body]);
    store.mend();
    expect((await visitor.part(`/task/${visitor.task}/grid.png`)).status).toBe(200);
  });

  it("a full store evicts sessions without a tick, the oldest first, and no other session", async () => {
    api = await CaptchaApi.open({ settings: { limits: captchaLimits({ sessions: 20 }) } });
    const ticked = api.visitor();
    await ticked.begin();
    await ticked.arrive(botTick());
    const visitors = Array.from({ length: 25 }, () => api.visitor());
    const answers = [];
    for (const visitor of visitors) answers.push((await visitor.begin()).status);
    expect(answers).toEqual(new Array(25).fill(200));
    expect((await visitors[0]?.tick())?.status).toBe(410);
    expect((await visitors[24]?.tick())?.body["outcome"]).toBe("token");
    expect((await ticked.ask("text")).body["outcome"]).toBe("task");
  });

  it("a full store evicts entries of the network that has the most", async () => {
    api = await CaptchaApi.open({
      settings: { limits: captchaLimits({ sessions: 20, networkShare: 50 }) },
    });
    const innocent = api.visitor({ address: "198.51.100.1" });
    await innocent.begin();
    const flood = Array.from({ length: 40 }, (_, i) => api.visitor({ address: `203.0.${i % 3}.1` }));
    for (const visitor of flood) {
      await visitor.begin();
      await visitor.tick(botTick());
    }
    expect(api.parts.states.usage().session.entries).toBe(20);
    expect((await innocent.tick()).body["outcome"]).toBe("token");
  });

  it("a store with room holds no network's entries above its share", async () => {
    api = await CaptchaApi.open({
      settings: { limits: captchaLimits({ sessions: 20, networkShare: 50 }) },
    });
    const own = Array.from({ length: 15 }, () => api.visitor({ address: "192.0.2.1" }));
    for (const visitor of own) await visitor.begin();
    const kept = await Promise.all(own.map(async (visitor) => (await visitor.tick()).status === 200));
    expect(kept).toEqual([...new Array(5).fill(false), ...new Array(10).fill(true)]);
  });
});

describe("tasks that are not ready", () => {
  it("a task that is not ready leads to 503, and the session survives", async () => {
    const { visitor } = await opened();
    await visitor.arrive(botTick());
    const { tasks } = api;
    const next = tasks.next.bind(tasks);
    tasks.next = () => Promise.reject(new TasksBusyError("behind"));
    expect(await visitor.ask("shapes")).toMatchObject({
      status: 503,
      body: { error: "service_unavailable", retryable: true, retry_after_ms: 3_000 },
    });
    tasks.next = next;
    expect((await visitor.ask("shapes")).body["outcome"]).toBe("task");
  });

  it("a picture may replace a picture that the server picked, never a type that the visitor chose", () => {
    const taskTypes = ["shapes", "rings", "text", "audio"] as const;
    for (const type of ["shapes", "rings"] as const)
      expect(substitutes({ taskTypes: [...taskTypes] }, type)).toEqual(["shapes", "rings"]);
    for (const type of ["text", "audio"] as const)
      expect(substitutes({ taskTypes: [...taskTypes] }, type)).toEqual([]);
  });
});
