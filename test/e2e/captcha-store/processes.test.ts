import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { CaptchaSettings } from "../../../plugins/captcha/service/contract.js";
import { openLmdbStates } from "../../../plugins/captcha/service/store/lmdb-states.js";
import { openStores } from "../../../plugins/captcha/service/store/open.js";
import { CaptchaNodes } from "../../bench/captcha-race.js";
import { captchaLimits } from "../../support/captcha-limits.js";
import { RedisServer } from "../../support/redis-server.js";
import { again } from "../../support/retry-storage.js";

const SCRIPT = fileURLToPath(new URL("../../../.build/test/bench/captcha-node.js", import.meta.url));
const STATES = new URL("../../../.build/plugins/captcha/service/store/lmdb-states.js", import.meta.url).href;
const ROUNDS = 25;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function nodesOn(store: CaptchaSettings["store"], count = 4): Promise<CaptchaNodes> {
  const nodes = await CaptchaNodes.start(SCRIPT, count, store);
  cleanups.push(() => nodes.stop());
  return nodes;
}

describe("four processes", () => {
  it.each(["lmdb", "redis"] as const)(
    "[A2] four processes on one %s allow one success in 200 verifications of a token",
    async (type) => {
      let store: CaptchaSettings["store"] = { type: "lmdb", path: directory() };
      if (type === "redis") {
        const server = await RedisServer.start();
        cleanups.push(() => server.stop());
        store = server.store();
      }
      const nodes = await nodesOn(store);
      for (let round = 0; round < ROUNDS; round++) {
        const [token = ""] = await nodes.issue(1, round);
        expect(await nodes.race(token, 200)).toEqual({ successes: 1, refused: 199, other: 0 });
      }
    },
  );
});

describe("LMDB", () => {
  it("[A21] LMDB keeps the claims of a killed process, and the other processes continue", async () => {
    const nodes = await nodesOn({ type: "lmdb", path: directory() }, 3);
    const tokens = await nodes.issue(300);
    const racing = Promise.all(
      tokens.map(async (token, i) => {
        if (i === 150) nodes.kill(1);
        return await nodes.race(token, 3);
      }),
    );
    const before = await racing;
    expect(before.filter(({ successes }) => successes > 1)).toEqual([]);
    const after = await Promise.all(tokens.map((token) => nodes.race(token, 3)));
    for (const [i, { successes }] of after.entries())
      expect((before[i]?.successes ?? 0) + successes).toBeLessThanOrEqual(1);
    const [fresh = ""] = await nodes.issue(1);
    expect((await nodes.race(fresh, 30)).successes).toBe(1);
  });

  it("LMDB keeps claims and keys over a restart of all processes", async () => {
    const store = { type: "lmdb", path: directory() } as const;
    const before = await nodesOn(store, 1);
    const [used = "", fresh = ""] = await before.issue(2);
    const keyed = await before.race(used, 1);
    expect(keyed.successes).toBe(1);
    await before.stop();
    const after = await CaptchaNodes.start(SCRIPT, 1, store, before);
    cleanups.push(() => after.stop());
    expect(await after.race(used, 1)).toEqual({ successes: 0, refused: 1, other: 0 });
    expect(await after.race(fresh, 1)).toEqual({ successes: 1, refused: 0, other: 0 });
  });

  it.each([
    ["cut", (file: string) => truncateSync(file, 5_000)],
    ["overwritten", (file: string) => writeFileSync(file, Buffer.alloc(65_536, 0xa5))],
  ])(
    "an LMDB file of claims that was %s is set aside with its keys, and the service starts",
    async (_name, damage) => {
      const path = directory();
      const store = { type: "lmdb", path } as const;
      const before = await nodesOn(store, 1);
      const [used = ""] = await before.issue(1);
      await before.race(used, 1);
      await before.stop();
      damage(join(path, "claims.lmdb"));
      const after = await CaptchaNodes.start(SCRIPT, 1, store, before);
      cleanups.push(() => after.stop());
      expect((await after.race(used, 1)).successes).toBe(0);
      expect(readdirSync(path).some((name) => name.startsWith("claims.lmdb.damaged-"))).toBe(true);
      const [token = ""] = await after.issue(1);
      expect((await after.race(token, 5)).successes).toBe(1);
    },
  );

  it("a damaged LMDB file of sessions is set aside, and claims and keys stay", async () => {
    const path = directory();
    const store = { type: "lmdb", path } as const;
    const before = await nodesOn(store, 1);
    const [used = "", fresh = ""] = await before.issue(2);
    await before.race(used, 1);
    await before.stop();
    writeFileSync(join(path, "sessions.lmdb"), Buffer.alloc(65_536, 0xa5));
    const after = await CaptchaNodes.start(SCRIPT, 1, store, before);
    cleanups.push(() => after.stop());
    expect(await after.race(used, 1)).toEqual({ successes: 0, refused: 1, other: 0 });
    expect(await after.race(fresh, 1)).toEqual({ successes: 1, refused: 0, other: 0 });
    expect(readdirSync(path).some((name) => name.startsWith("sessions.lmdb.damaged-"))).toBe(true);
  });

  it("LMDB has all sessions of a killed process", async () => {
    const path = directory();
    const script = `
      import { openLmdbStates } from ${JSON.stringify(STATES)};
      const clock = { now: () => Date.now(), monotonic: () => performance.now() };
      const states = openLmdbStates(${JSON.stringify(path)}, ${JSON.stringify(captchaLimits())}, clock);
      for (let i = 0; i < 500; i++)
        await states.put("s" + i, { i, text: "x".repeat(700) }, 600_000, { kind: "session", network: "n" + (i % 9) });
      await states.take("s0");
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect(signal).toBe("SIGKILL");
    const states = openLmdbStates(path, captchaLimits(), {
      now: () => Date.now(),
      monotonic: () => performance.now(),
    });
    cleanups.push(() => states.close());
    expect(await states.get("s0")).toBeUndefined();
    for (let i = 1; i < 500; i++) expect(await states.get(`s${i}`)).toEqual({ i, text: "x".repeat(700) });
    expect(states.usage().session.entries).toBe(499);
  });
});

describe("Redis", () => {
  it("[A21] a longer timeout waits for a Redis that is silent for longer than the default one", async () => {
    const server = await RedisServer.start();
    cleanups.push(() => server.stop());
    const settings = { store: server.store(), limits: captchaLimits({}) };
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const { claims } = await openStores(settings, { "key-ring": Buffer.alloc(32, 9) }, clock, () => {});
    cleanups.push(() => claims.close());
    await again(() => claims.claim("before", 600_000, "x"));
    server.freeze();
    const claim = claims.claim("patient", 600_000, "x");
    // Connections also live for longer than the default timeout.
    await wait(3_500);
    server.thaw();
    expect(await claim).toEqual({ won: true });
  });
});
