import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { StorageError } from "../../../plugins/captcha/service/contract.js";
import { type CaptchaStores, openStores } from "../../../plugins/captcha/service/store/open.js";
import { place } from "../../support/captcha-limits.js";
import { storeSuite } from "../../support/captcha-store-suite.js";
import { RedisServer } from "../../support/redis-server.js";
import { CaptchaStand, SETTINGS } from "../../support/verify-stand.js";

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const secrets = { "key-ring": Buffer.alloc(32, 9) };
const servers: RedisServer[] = [];
const opened: { claims: CaptchaStores["claims"] }[] = [];

async function redis(...settings: string[]): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  servers.push(server);
  return server;
}

async function storesOf(
  server: RedisServer,
  reports: object[] = [],
  limits = SETTINGS.limits,
): Promise<CaptchaStores> {
  const settings = { store: { type: "redis" as const, url: server.url }, limits };
  const stores = await openStores(settings, secrets, clock, (event, fields) =>
    reports.push({ event, ...fields }),
  );
  opened.push(stores);
  return stores;
}

async function closeAll(): Promise<void> {
  for (const { claims } of opened.splice(0)) await claims.close();
  for (const server of servers.splice(0)) await server.stop();
}

const suite: RedisServer[] = [];
storeSuite("Redis", {
  sharesStates: true,
  async open() {
    const server = await RedisServer.start();
    suite.push(server);
    return [await storesOf(server), await storesOf(server)];
  },
  pass: (ms) => wait(ms),
  async small(limits) {
    const server = await RedisServer.start();
    suite.push(server);
    return await storesOf(server, [], limits);
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

/** Asks until the store answers again. */
async function again<T>(action: () => Promise<T>): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StorageError) || Date.now() > end) throw error;
      await wait(50);
    }
  }
}

describe("Redis", () => {
  afterEach(closeAll);
  afterAll(closeAll);

  it("[A21] away: claims fail at once; back with its data: what was claimed is claimed, and tokens are good", async () => {
    const server = await redis("--appendonly", "yes", "--appendfsync", "always");
    const stand = await CaptchaStand.start({
      clock,
      settings: { store: { type: "redis", url: server.url } },
    });
    const [used, waiting] = [await stand.issue(), await stand.issue()];
    expect((await stand.verify(used)).body.success).toBe(true);
    await server.kill();
    const start = performance.now();
    const away = await stand.verify(waiting);
    expect([away.status, away.body.error]).toEqual([503, "storage_error"]);
    expect(performance.now() - start).toBeLessThan(5_000);
    await server.up();
    await again(async () => {
      const answer = await stand.verify(waiting);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body.success).toBe(true);
    });
    expect((await stand.verify(used)).body.reason).toBe("already_used");
    await stand.stop();
  });

  it("[A21] emptied by a restart: the signing keys go with the claims, so a used token is of an unknown key", async () => {
    const server = await redis();
    const stand = await CaptchaStand.start({
      clock,
      settings: { store: { type: "redis", url: server.url } },
    });
    const used = await stand.issue();
    expect((await stand.verify(used)).body.success).toBe(true);
    await server.kill();
    await server.up();
    await again(async () => {
      const answer = await stand.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    expect((await stand.verify(await again(() => stand.issue()))).body.success).toBe(true);
    expect(stand.reports.map(({ event }) => event)).toContain("captcha_store_emptied");
    await stand.stop();
  });

  it("emptied while it runs: the next claim fails, and then the token is of an unknown key", async () => {
    const server = await redis();
    const stand = await CaptchaStand.start({
      clock,
      settings: { store: { type: "redis", url: server.url } },
    });
    const used = await stand.issue();
    expect((await stand.verify(used)).body.success).toBe(true);
    expect(await server.command("FLUSHALL")).toBe("+OK");
    expect((await stand.verify(used)).body.success).toBe(false);
    await again(async () => {
      const answer = await stand.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    await stand.stop();
  });

  it("restored from a snapshot older than its claims: keys go, too", async () => {
    const server = await redis("--dbfilename", "snapshot.rdb");
    const stand = await CaptchaStand.start({
      clock,
      settings: { store: { type: "redis", url: server.url } },
    });
    const used = await stand.issue();
    expect(await server.command("SAVE")).toBe("+OK");
    expect((await stand.verify(used)).body.success).toBe(true);
    await server.kill();
    await server.up();
    await again(async () => {
      const answer = await stand.verify(used);
      if (answer.status === 503) throw new StorageError("not yet");
      expect(answer.body).toMatchObject({ success: false, reason: "unknown_key" });
    });
    await stand.stop();
  });

  it("[A21] silent: a claim fails within a second, is not repeated, and stands when it was done after all", async () => {
    const server = await redis();
    const { claims } = await storesOf(server);
    expect(await claims.claim("before", 60_000, "x")).toEqual({ won: true });
    server.freeze();
    const start = performance.now();
    await expect(claims.claim("during", 60_000, "x")).rejects.toThrow(StorageError);
    expect(performance.now() - start).toBeLessThan(5_000);
    server.thaw();
    // What had been sent is carried out now: the claim stands, and nobody was told that it was won.
    const outcome = await again(() => claims.claim("during", 60_000, "y"));
    expect(outcome.won === false ? outcome.value : "").toBe("x");
  });

  it("[A21] silent for a moment: the outcome is looked up, and the one who wrote has won", async () => {
    const server = await redis();
    const { claims } = await storesOf(server);
    server.freeze();
    const claim = claims.claim("moment", 60_000, "x");
    await wait(350);
    server.thaw();
    expect(await claim).toEqual({ won: true });
    expect(await claims.claim("moment", 60_000, "y")).toEqual({ won: false, value: "x" });
  });

  it("[A21] killed and started again under claims: no id is won twice", async () => {
    const server = await redis("--appendonly", "yes", "--appendfsync", "always");
    const [first, second] = [await storesOf(server), await storesOf(server)];
    const wins = new Map<string, number>();
    let stop = false;
    const claimant = async (claims: CaptchaStores["claims"], name: string) => {
      for (let i = 0; !stop; i++) {
        const id = `id-${i % 500}`;
        const claim = await claims.claim(id, 600_000, name).catch(() => ({ won: false }));
        if (claim.won) wins.set(id, (wins.get(id) ?? 0) + 1);
        if (!claim.won) await wait(1);
      }
    };
    const working = [claimant(first.claims, "a"), claimant(second.claims, "b"), claimant(first.claims, "c")];
    for (let i = 0; i < 3; i++) {
      await wait(300);
      await server.kill();
      await wait(100);
      await server.up();
    }
    await wait(1_500);
    stop = true;
    await Promise.all(working);
    expect(wins.size).toBeGreaterThan(50);
    expect([...wins.values()].filter((count) => count > 1)).toEqual([]);
  });

  it("[W1] that evicts is refused, and says so", async () => {
    const server = await redis("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru");
    const reports: object[] = [];
    const { claims, states, keyRecords } = await storesOf(server, reports);
    await expect(claims.claim("a", 1_000, "")).rejects.toThrow(StorageError);
    await expect(states.put("a", 1, 1_000, place())).rejects.toThrow(StorageError);
    await expect(keyRecords.load()).rejects.toThrow(StorageError);
    expect(reports).toContainEqual({ event: "captcha_store_unsafe", policy: "allkeys-lru" });
  });

  it("[W1] that begins to evict while it runs is refused from the next look on, and used again when it stops", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await redis("--maxmemory", "50mb", "--maxmemory-policy", "noeviction");
    const { claims } = await storesOf(server, []);
    const looked = async (policy: string) => {
      await server.command(`CONFIG SET maxmemory-policy ${policy}`);
      vi.advanceTimersByTime(30_000);
    };
    await claims.claim("a", 60_000, "");
    await looked("allkeys-lru");
    await expect
      .poll(() => claims.claim("b", 60_000, "").catch((error: unknown) => error))
      .toBeInstanceOf(StorageError);
    await looked("noeviction");
    await expect.poll(() => claims.claim("c", 60_000, "").catch(() => undefined)).toEqual({ won: true });
  });

  it("not there at the start: the service starts, answers 503, and works when it comes", async () => {
    const server = await redis();
    await server.kill();
    const stand = await CaptchaStand.start({
      clock,
      settings: { store: { type: "redis", url: server.url } },
    });
    expect((await stand.verify("a.b.c")).body.reason).toBe("malformed");
    await expect(stand.issue()).rejects.toThrow(StorageError);
    await server.up();
    expect((await stand.verify(await again(() => stand.issue()))).body.success).toBe(true);
    await stand.stop();
  });

  it("with a password: it is used, and stands in no report and no error", async () => {
    const server = await redis();
    await server.command("CONFIG SET requirepass hunter2");
    const reports: object[] = [];
    const settings = {
      store: { type: "redis" as const, url: `redis://:wrong-pw@127.0.0.1:${server.port}` },
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
    expect(await right.claims.claim("a", 1_000, "")).toEqual({ won: true });
  });
});
