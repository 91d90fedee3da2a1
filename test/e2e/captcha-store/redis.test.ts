import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { StorageError } from "../../../plugins/captcha/service/contract.js";
import { type CaptchaStores, openStores } from "../../../plugins/captcha/service/store/open.js";
import { place } from "../../support/captcha-limits.js";
import { storeSuite } from "../../support/captcha-store-suite.js";
import { PATIENCE_MS } from "../../support/patience.js";
import { RedisServer } from "../../support/redis-server.js";
import { again } from "../../support/retry-storage.js";
import { CaptchaHarness, SETTINGS } from "../../support/verify-harness.js";

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const secrets = { "key-ring": Buffer.alloc(32, 9) };
const servers: RedisServer[] = [];
const opened: { claims: CaptchaStores["claims"] }[] = [];

async function redis(...settings: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  servers.push(server);
  return server;
}

interface Opening {
  timeoutMs?: number;
  reports?: object[];
  limits?: typeof SETTINGS.limits;
  /** Clock of look-ups. */
  monotonic?: () => number;
}

/** Stores before Redis is ready, as the service opens them. */
async function unawaited(server: RedisServer, opening: Opening = {}): Promise<CaptchaStores> {
  const { timeoutMs, reports = [], limits = SETTINGS.limits, monotonic = clock.monotonic } = opening;
  const settings = { store: server.store(timeoutMs), limits };
  const stores = await openStores(settings, secrets, { ...clock, monotonic }, (event, fields) =>
    reports.push({ event, ...fields }),
  );
  opened.push(stores);
  return stores;
}

async function storesOf(server: RedisServer, opening: Opening = {}): Promise<CaptchaStores> {
  const stores = await unawaited(server, opening);
  await again(() => stores.states.get("usable"));
  return stores;
}

/** Timeout of polls. */
const PATIENCE = { timeout: PATIENCE_MS };

/** A verification endpoint on ready stores, and the reports of the stores. */
async function harnessOn(server: RedisServer): Promise<{ harness: CaptchaHarness; reports: object[] }> {
  const reports: object[] = [];
  const stores = await storesOf(server, { reports });
  return { harness: await CaptchaHarness.start({ clock, stores }), reports };
}

async function closeAll(): Promise<void> {
  for (const { claims } of opened.splice(0)) await claims.close();
  for (const server of servers.splice(0)) await server.stop();
}

const suite: RedisServer[] = [];
storeSuite("Redis", {
  sharesStates: true,
  countsUsage: false,
  async open() {
    const server = await RedisServer.start();
    suite.push(server);
    return [await storesOf(server), await storesOf(server)];
  },
  async pass(ms) {
    for (const server of suite) await server.age(ms);
  },
  async small(limits) {
    const server = await RedisServer.start();
    suite.push(server);
    return await storesOf(server, { limits });
  },
  async full() {
    const server = await RedisServer.start(["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"]);
    suite.push(server);
    return await storesOf(server);
  },
  async close() {
    for (const { claims } of opened.splice(0)) await claims.close();
    for (const server of suite.splice(0)) await server.stop();
  },
});

describe("Redis", () => {
  afterEach(closeAll);
  afterAll(closeAll);

  it("[A21] claims fail at once without Redis, and a restart with its data keeps claims and tokens", async () => {
    const server = await redis("--appendonly", "yes", "--appendfsync", "always");
    const { harness } = await harnessOn(server);
    const [used, waiting] = [await harness.issue(), await harness.issue()];
    expect((await harness.verify(used)).body.success).toBe(true);
    await server.kill();
    // At once: the timeout of its commands is 10 minutes.
    const away = await harness.verify(waiting);
    expect([away.status, away.body.error]).toEqual([503, "storage_error"]);
    await server.up();
    await again(async () => {
      const answer = await harness.verify(waiting);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body.success).toBe(true);
    });
    expect((await harness.verify(used)).body.reason).toBe("already_used");
    await harness.stop();
  });

  it("[A21] a restart that empties Redis loses keys with claims, so that a used token has an unknown key", async () => {
    const server = await redis();
    const { harness, reports } = await harnessOn(server);
    const used = await harness.issue();
    expect((await harness.verify(used)).body.success).toBe(true);
    await server.kill();
    await server.up();
    await again(async () => {
      const answer = await harness.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    expect((await harness.verify(await again(() => harness.issue()))).body.success).toBe(true);
    expect(reports).toContainEqual({ event: "captcha_store_emptied" });
    await harness.stop();
  });

  it("FLUSHALL makes the next claim fail, and then the used token has an unknown key", async () => {
    const server = await redis();
    const { harness } = await harnessOn(server);
    const used = await harness.issue();
    expect((await harness.verify(used)).body.success).toBe(true);
    expect(await server.command("FLUSHALL")).toBe("+OK");
    expect((await harness.verify(used)).body.success).toBe(false);
    await again(async () => {
      const answer = await harness.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    await harness.stop();
  });

  it("a snapshot older than its claims has lost its keys, too", async () => {
    const server = await redis("--dbfilename", "snapshot.rdb");
    const { harness } = await harnessOn(server);
    const used = await harness.issue();
    expect(await server.command("SAVE")).toBe("+OK");
    expect((await harness.verify(used)).body.success).toBe(true);
    await server.kill();
    await server.up();
    await again(async () => {
      const answer = await harness.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    await harness.stop();
  });

  it("[A21] a claim that times out fails without a retry, and holds if Redis executed it", async () => {
    const server = await redis();
    const { claims } = await storesOf(server, { timeoutMs: 250 });
    expect(await again(() => claims.claim("before", 600_000, "x"))).toHaveProperty("won");
    server.freeze();
    await expect(claims.claim("during", 600_000, "x")).rejects.toThrow(StorageError);
    server.thaw();
    // Redis executes the sent command now: the claim exists, and nobody has won it.
    const outcome = await again(() => claims.claim("during", 600_000, "y"));
    expect(outcome.won === false ? outcome.value : "").toBe("x");
  });

  it("[A21] a claim waits for a Redis that is silent for less than its timeout, and is won", async () => {
    const server = await redis();
    const { claims } = await storesOf(server);
    server.freeze();
    const claim = claims.claim("patient", 600_000, "x");
    // A silence beyond the default timeout is in processes.test.ts.
    await wait(100);
    server.thaw();
    expect(await claim).toEqual({ won: true });
  });

  it("[A21] a claim that timed out is looked up after the silence, and its writer has won", async () => {
    const server = await redis();
    let looks = 0;
    // The look-up reads the clock first after the timeout of the write; it never ends, since the clock is
    // stopped.
    const monotonic = () => {
      looks++;
      return 0;
    };
    const { claims } = await storesOf(server, { timeoutMs: 250, monotonic });
    await again(() => claims.claim("before", 600_000, "x"));
    server.freeze();
    looks = 0;
    const claim = claims.claim("moment", 600_000, "x");
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(0);
    server.thaw();
    expect(await claim).toEqual({ won: true });
    expect(await again(() => claims.claim("moment", 600_000, "y"))).toEqual({ won: false, value: "x" });
  });

  it("[A21] no id is won twice while Redis is killed and started again", async () => {
    const server = await redis("--appendonly", "yes", "--appendfsync", "always");
    const [first, second] = [await storesOf(server), await storesOf(server)];
    const wins = new Map<string, number>();
    let answers = 0;
    let stop = false;
    const claimant = async (claims: CaptchaStores["claims"], name: string) => {
      for (let i = 0; !stop; i++) {
        const id = `id-${i % 500}`;
        const claim = await claims.claim(id, 6_000_000, name).catch(() => undefined);
        if (claim !== undefined) answers++;
        if (claim?.won) wins.set(id, (wins.get(id) ?? 0) + 1);
        if (!claim?.won) await wait(1);
      }
    };
    const working = [claimant(first.claims, "a"), claimant(second.claims, "b"), claimant(first.claims, "c")];
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => wins.size, PATIENCE).toBeGreaterThan(30 * (i + 1));
      await server.kill();
      await server.up();
    }
    const before = answers;
    await expect.poll(() => answers, PATIENCE).toBeGreaterThan(before + 1_500);
    stop = true;
    await Promise.all(working);
    expect([...wins.values()].filter((count) => count > 1)).toEqual([]);
  });

  it("[W1] a Redis with an evicting policy is rejected and reported", async () => {
    const server = await redis("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru");
    const reports: object[] = [];
    const { claims, states, keyRecords } = await unawaited(server, { reports });
    await expect.poll(() => reports, PATIENCE).not.toEqual([]);
    await expect(claims.claim("a", 1_000, "")).rejects.toThrow(StorageError);
    await expect(states.put("a", 1, 1_000, place())).rejects.toThrow(StorageError);
    await expect(keyRecords.load()).rejects.toThrow(StorageError);
    expect(reports).toContainEqual({ event: "captcha_store_unsafe", policy: "allkeys-lru" });
  });

  it("[W1] a Redis that begins to evict is rejected from the next check on, and used again afterwards", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await redis("--maxmemory", "50mb", "--maxmemory-policy", "noeviction");
    const { claims } = await storesOf(server);
    const looked = async (policy: string) => {
      await server.command(`CONFIG SET maxmemory-policy ${policy}`);
      vi.advanceTimersByTime(30_000);
    };
    await claims.claim("a", 60_000, "");
    await looked("allkeys-lru");
    await expect
      .poll(() => claims.claim("b", 60_000, "").catch((error: unknown) => error), PATIENCE)
      .toBeInstanceOf(StorageError);
    await looked("noeviction");
    await expect
      .poll(() => claims.claim("c", 60_000, "").catch(() => undefined), PATIENCE)
      .toEqual({ won: true });
  });

  it("the service starts without Redis, fails meanwhile, and works when Redis comes", async () => {
    const server = await redis();
    await server.kill();
    const harness = await CaptchaHarness.start({ clock, settings: { store: server.store() } });
    expect((await harness.verify("a.b.c")).body.reason).toBe("malformed");
    await expect(harness.issue()).rejects.toThrow(StorageError);
    await server.up();
    expect((await harness.verify(await again(() => harness.issue()))).body.success).toBe(true);
    await harness.stop();
  });

  it("the password of Redis is used, and is in no report and no error", async () => {
    const server = await redis();
    await server.command("CONFIG SET requirepass hunter2");
    const reports: object[] = [];
    const settings = {
      store: { ...server.store(), url: `redis://:wrong-pw@127.0.0.1:${server.port}` },
      limits: SETTINGS.limits,
    };
    const wrong = await openStores(settings, secrets, clock, (event, fields) =>
      reports.push({ event, ...fields }),
    );
    opened.push(wrong);
    const error = await wrong.claims.claim("a", 1_000, "").catch((fault: unknown) => fault);
    expect(String(error)).toMatch(/redis/);
    expect(JSON.stringify([reports, String(error), error])).not.toContain("wrong-pw");
    settings.store.url = `redis://:hunter2@127.0.0.1:${server.port}`;
    const right = await openStores(settings, secrets, clock);
    opened.push(right);
    await again(() => right.states.get("usable"));
    expect(await right.claims.claim("a", 600_000, "")).toEqual({ won: true });
  });
});
