import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { compileLibrary, hasCompiler } from "../../support/compiled-library.js";
import { until } from "../../support/patience.js";
import { CaptchaGateway, SITE_KEY } from "../captcha/captcha-gateway.js";

const SOURCE = fileURLToPath(new URL("../process/fixtures/failing-disk.c", import.meta.url));

describe.runIf(hasCompiler("a failing disk"))(
  "a disk below the captcha's store that fails in writes (EIO)",
  () => {
    let captcha: CaptchaGateway;
    let directory: string;
    let flag: string;
    beforeEach(async () => {
      directory = mkdtempSync(join(tmpdir(), "gwc-disk-"));
      flag = join(directory, "failing");
      const library = join(directory, "failing-disk.so");
      compileLibrary(SOURCE, library);
      vi.stubEnv("LD_PRELOAD", library);
      vi.stubEnv("FAILING_DISK", flag);
      vi.stubEnv("FAILING_DISK_BELOW", "claims.lmdb");
      captcha = await CaptchaGateway.start();
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      await captcha.end();
      rmSync(directory, { recursive: true });
    });

    const service = () => captcha.gateway.child("captcha");
    const replaced = (pid: number) =>
      until(async () => ![0, pid].includes(service()) && (await captcha.ready()).captcha.up === true);
    const statusOf = async (token: string) => (await captcha.verify(token)).status;

    it("EIO restarts the captcha once, no write follows the failed one, and tokens pass with the disk", async () => {
      const tokens = [
        await tokenFrom(captcha.url, SITE_KEY),
        await tokenFrom(captcha.url, SITE_KEY),
      ] as const;
      writeFileSync(flag, "");
      const first = service();
      expect(await statusOf(tokens[0])).toBe(503);
      await replaced(first);
      const second = service();
      for (let times = 0; times < 10; times += 1)
        for (const token of tokens) expect(await statusOf(token)).toBe(503);
      expect(service()).toBe(second);
      rmSync(flag);
      process.kill(second, "SIGKILL");
      await replaced(second);
      for (const token of tokens) expect((await captcha.verify(token)).json["success"]).toBe(true);
      for (const token of tokens) expect((await captcha.verify(token)).json["success"]).toBe(false);
      const failures = captcha.gateway.log("store_failed");
      expect(failures.map(({ restart_in_ms: ms = 0 }) => Number(ms) > 0)).toEqual([false, true]);
      const ends = captcha.gateway.log("child_ended").map(({ child, signal }) => [child, signal]);
      expect(ends).toEqual([
        ["captcha", "SIGKILL"],
        ["captcha", "SIGKILL"],
      ]);
    });
  },
);
