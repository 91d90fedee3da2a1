import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CaptchaNodes } from "../../bench/captcha-race.js";
import { checkMemory } from "../../support/memory-check.js";
import { until } from "../../support/patience.js";
import { noMount, SmallDisk } from "../../support/small-disk.js";

const SCRIPT = fileURLToPath(new URL("../../../.build/test/bench/captcha-node.js", import.meta.url));

describe.skipIf(noMount !== undefined)(
  `a full disk below the captcha's store${noMount ? ` (${noMount})` : ""}`,
  () => {
    let directory: string;
    let disk: SmallDisk;
    let nodes: CaptchaNodes | undefined;
    beforeEach(() => {
      checkMemory();
      directory = mkdtempSync(join(tmpdir(), "gwc-disk-"));
      disk = new SmallDisk(directory, "8m");
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      await nodes?.stop();
      nodes = undefined;
      disk.unmount();
      rmSync(directory, { recursive: true, force: true });
    });

    const start = async (as?: CaptchaNodes) => {
      nodes = await CaptchaNodes.start(SCRIPT, 1, { type: "lmdb", path: join(directory, "store") }, as);
      return nodes;
    };
    /** @returns the used tokens, and those without room in the store */
    async function use(tokens: readonly string[], on: CaptchaNodes) {
      const used: string[] = [];
      const refused: string[] = [];
      for (const token of tokens) ((await on.race(token, 1)).successes === 1 ? used : refused).push(token);
      return { used, refused };
    }

    /** A write that found the disk full inside lmdb-js has a number as code, and may have damaged memory. */
    async function expectOwnRefusals(on: CaptchaNodes) {
      const refusals = await on.refusals();
      expect(refusals.length).toBeGreaterThanOrEqual(100);
      const kinds = new Set(refusals.map((one) => JSON.stringify(one)));
      expect([...kinds]).toEqual([
        JSON.stringify({ message: "no space left on the disk (ENOSPC)", code: "ENOSPC" }),
      ]);
    }

    /** Uses tokens until 100 are rejected: room in the file takes some. */
    async function untilRefused(on: CaptchaNodes) {
      let last = { used: [] as string[], refused: [] as string[] };
      while (last.refused.length < 100) last = await use(await on.issue(300), on);
      await expectOwnRefusals(on);
      return last;
    }

    it("[A21] a full disk is a storage_error, ends no process and opens no used token; with room the rest passes", async () => {
      const running = await start();
      const early = await use(await running.issue(20), running);
      expect(early.refused).toEqual([]);
      disk.fill();
      const late = await untilRefused(running);
      expect(await running.race(early.used[0] ?? "", 5)).toMatchObject({ successes: 0 });
      // Simultaneous uses as well.
      const together = await Promise.all(late.refused.map((token) => running.race(token, 2)));
      expect(together.every(({ successes }) => successes === 0)).toBe(true);
      await expectOwnRefusals(running);
      disk.empty();
      for (const token of late.refused.slice(0, 5))
        await until(async () => (await running.race(token, 5)).successes === 1);
      for (const token of [...early.used, ...late.used.slice(0, 20)])
        expect(await running.race(token, 1)).toEqual({ successes: 0, refused: 1, other: 0 });
    });

    it("[A21] the service restarts five times on a full disk, and opens no used token", async () => {
      let running = await start();
      const { used } = await use(await running.issue(20), running);
      disk.fill();
      for (let count = 0; count < 5; count += 1) {
        await running.stop();
        running = await start(running);
        await untilRefused(running);
        for (const token of used) expect(await running.race(token, 1)).toMatchObject({ successes: 0 });
      }
    });

    it("a service does not start on a full disk, and starts once there is room", async () => {
      disk.fill();
      await expect(start()).rejects.toThrow("ended with");
      disk.empty();
      const running = await start();
      expect((await use(await running.issue(1), running)).refused).toEqual([]);
    });
  },
);
