import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BACKENDS, type Backend, example } from "../../../plugins/captcha/cli/commands.js";
import { freePort } from "../../support/ports.js";
import { CaptchaHarness, SITE } from "../../support/verify-harness.js";

/** Command of each example, and a probe for its language. */
const COMMANDS: Record<Backend, { probe: string[]; run: (file: string, port: number) => string[] }> = {
  node: { probe: ["node", "--version"], run: (file) => ["node", file] },
  python: { probe: ["python3", "--version"], run: (file) => ["python3", file] },
  php: { probe: ["php", "--version"], run: (file, port) => ["php", "-S", `127.0.0.1:${port}`, file] },
  go: { probe: ["go", "version"], run: (file) => ["go", "run", file] },
  // A JRE alone cannot run a source file.
  java: { probe: ["javac", "-version"], run: (file) => ["java", file] },
};
const names = Object.keys(BACKENDS) as Backend[];
const installed = (name: Backend) => {
  const [program = "", ...rest] = COMMANDS[name].probe;
  return spawnSync(program, rest, { timeout: 30_000 }).status === 0;
};
const missing = names.filter((name) => !installed(name));
for (const name of missing)
  process.stderr.write(`the ${name} example is left out: ${COMMANDS[name].probe[0]} is not installed\n`);

let harness: CaptchaHarness;
let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "captcha-backend-"));
  harness = await CaptchaHarness.start();
  harness.change(SITE, { hostnames: ["shop.example"] });
});
afterAll(async () => {
  await harness?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

interface RunningBackend {
  post(fields: Record<string, string>): Promise<number>;
  stop(): Promise<void>;
}

/** @param url {captcha_url} */
async function start(name: Backend, url: string): Promise<RunningBackend> {
  const { file } = BACKENDS[name];
  const path = join(mkdtempSync(join(folder, "example-")), file);
  writeFileSync(path, example(file, { url, siteKey: SITE }));
  const port = await freePort();
  const [program = "", ...rest] = COMMANDS[name].run(path, port);
  const env = { ...process.env, PORT: String(port), CAPTCHA_API_KEY: harness.keys.shop.key };
  // A process group of its own, because `go run` starts the program that it has built.
  const child: ChildProcess = spawn(program, rest, { env, stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const post = async (fields: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: new URLSearchParams(fields) })).status;
  await expect.poll(() => post({}).catch(() => 0), { interval: 200 }).toBe(403);
  return {
    post,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

describe.each(names.filter((name) => !missing.includes(name)))("the example for %s", (name) => {
  it("[C36] [C60] [A20] the example acts once for a good token, and never for a missing, bad or used one", async () => {
    const backend = await start(name, `http://127.0.0.1:${harness.port}`);
    try {
      const token = await harness.issue();
      expect(await backend.post({ "captcha-token": token })).toBe(200);
      expect(await backend.post({ "captcha-token": token })).toBe(403);
      expect(await backend.post({})).toBe(403);
      expect(await backend.post({ "captcha-token": "" })).toBe(403);
      expect(await backend.post({ "captcha-token": "a.b.c" })).toBe(403);
      // A token of another site key, and one with characters that must be encoded.
      expect(
        await backend.post({ "captcha-token": await harness.issue({ site_key: "site-key-of-blog" }) }),
      ).toBe(403);
      expect(await backend.post({ "captcha-token": "a&ip=1.2.3.4 +%00" })).toBe(403);
    } finally {
      await backend.stop();
    }
  });

  it("[C62] the example responds with 503 while nothing listens at the address of the service", async () => {
    const backend = await start(name, `http://127.0.0.1:${await freePort()}`);
    try {
      expect(await backend.post({ "captcha-token": "a.b.c" })).toBe(503);
    } finally {
      await backend.stop();
    }
  });

  it("[C62] [C63] the example responds with 503 while the service is silent", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const backend = await start(name, `http://127.0.0.1:${port}`);
    try {
      expect(await backend.post({ "captcha-token": "a.b.c" })).toBe(503);
    } finally {
      await backend.stop();
      silent.close();
    }
  });
});
