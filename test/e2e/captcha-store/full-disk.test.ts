import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { CaptchaNodes } from "../../bench/captcha-race.js";

const SCRIPT = fileURLToPath(new URL("../../../.build/test/bench/captcha-node.js", import.meta.url));
const disk = mkdtempSync(join(tmpdir(), "gwc-disk-"));
/** A file system of 24 MiB, of which the service leaves 16 alone, needs the right to mount. */
const mounted =
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=24m", "gwc-captcha-test", disk], { stdio: "ignore" })
    .status === 0;
if (!mounted)
  process.stderr.write(
    "the test of a full disk below the captcha's store is left out: no tmpfs can be mounted here\n",
  );
afterAll(() => {
  if (mounted) spawnSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(!mounted)("a full disk below the captcha's store", () => {
  it("[A21] is a storage_error, ends no process, and opens no used token; with room again the rest passes", async () => {
    const nodes = await CaptchaNodes.start(SCRIPT, 1, { type: "lmdb", path: join(disk, "store") });
    try {
      const tokens = await nodes.issue(400);
      const filling = join(disk, "filling");
      setTimeout(() => writeFileSync(filling, Buffer.alloc(12_000_000)), 200);
      const used: string[] = [];
      let refused: string | undefined;
      for (const token of tokens) {
        await pause(5);
        const { successes } = await nodes.race(token, 1);
        if (successes === 1) used.push(token);
        else {
          refused = token;
          break;
        }
      }
      expect(refused).toBeDefined();
      expect(used.length).toBeGreaterThan(10);
      expect(await nodes.race(used[0] ?? "", 5)).toEqual({ successes: 0, refused: 0, other: 5 });
      rmSync(filling);
      let successes = 0;
      for (let i = 0; i < 100 && successes === 0; i++) {
        await pause(50);
        ({ successes } = await nodes.race(refused ?? "", 5));
      }
      expect(successes).toBe(1);
      for (const token of used)
        expect(await nodes.race(token, 1)).toEqual({ successes: 0, refused: 1, other: 0 });
    } finally {
      await nodes.stop();
    }
  });
});
