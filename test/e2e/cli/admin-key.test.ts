import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gwcInBackground, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
let server: Server;
let admin: string;
/** Keys that the gateway received. */
let keys: unknown[];

beforeEach(async () => {
  keys = [];
  server = createServer((request, response) => {
    keys.push(request.headers["x-api-key"]);
    response.writeHead(401, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error_msg: "failed to check token" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  admin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(directory.path, "viewer.key"), "key-of-the-file\n");
  writeFileSync(join(directory.path, "keys"), "one-key\nanother-key\n");
});
afterEach(() => void server.close());

/** Commands that call the admin API of a gateway. */
const COMMANDS: [name: string, args: (address: string) => string[]][] = [
  ["adopt", (address) => ["adopt", "routes/1", "--admin", address]],
  ["export", (address) => ["export", "--admin", address]],
  ["diff", (address) => ["diff", address, "gateway.yaml"]],
  ["top", (address) => ["top", "--once", "--admin", address]],
  ["captcha rotate", (address) => ["captcha", "rotate", "--admin", address]],
  ["captcha init", (address) => ["captcha", "init", "--admin", address]],
];

describe.each(COMMANDS)("the admin key of gwc %s", (name, args) => {
  const run = (more: string[], environment: Record<string, string> = {}) =>
    gwcInBackground(directory.path, [...args(admin), ...more], environment);

  beforeEach(() => writeFileSync(join(directory.path, "gateway.yaml"), "routes: []\n"));

  it("gwc refuses --key, which other users see, and does not print it", async () => {
    for (const more of [["--key", "key-of-a-hurry"], ["--key=key-of-a-hurry"]]) {
      const { status, stdout, stderr } = await run(more);
      expect([status, stderr]).toEqual([2, expect.stringContaining("--key is visible to other users")]);
      expect(stderr).toContain("GWC_ADMIN_KEY in the environment, or --key-file");
      expect(stdout + stderr).not.toContain("hurry");
    }
    expect(keys).toEqual([]);
  });

  it("gwc prefers --key-file to GWC_ADMIN_KEY", async () => {
    const environment = { GWC_ADMIN_KEY: "key-of-the-environment" };
    await run([], environment);
    expect(new Set(keys)).toEqual(new Set(["key-of-the-environment"]));
    keys = [];
    await run(["--key-file", "viewer.key"], environment);
    expect(new Set(keys)).toEqual(new Set(["key-of-the-file"]));
  });

  it("gwc names GWC_ADMIN_KEY and --key-file without a key, and reports a file without exactly one key", async () => {
    const without = await run([]);
    expect([without.status > 0, without.stderr]).toEqual([true, expect.stringContaining("GWC_ADMIN_KEY")]);
    expect(without.stderr).toContain("--key-file");
    const two = await run(["--key-file", "keys"]);
    expect([two.status, two.stderr]).toEqual([
      2,
      expect.stringContaining("must contain one key on one line"),
    ]);
    expect(two.stderr).not.toContain("another-key");
    const absent = await run(["--key-file", "nowhere"]);
    expect([absent.status, absent.stderr]).toEqual([2, expect.stringContaining("ENOENT")]);
  });

  it("the help of gwc offers --key-file and GWC_ADMIN_KEY and no --key", async () => {
    const { stdout } = await gwcInBackground(directory.path, [...name.split(" "), "--help"]);
    expect(stdout).toContain("--key-file <file>");
    expect(stdout).toContain("GWC_ADMIN_KEY");
    expect(stdout).not.toMatch(/--key\b(?!-file)/);
  });
});
