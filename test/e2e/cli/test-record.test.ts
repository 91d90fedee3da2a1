import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLI, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const file = (name: string) => join(directory.path, name);

/** Runs gwc test without blocking this process, which is the upstream. */
function test(args: string[], environment: Record<string, string> = {}) {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...environment };
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [CLI, "test", ...args],
      { cwd: directory.path, env },
      (error, stdout, stderr) => resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe("gwc test --record", () => {
  let upstream: Server;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      response.setHeader("Set-Cookie", "sid=session-of-jack; HttpOnly");
      response.setHeader("Content-Type", "application/json");
      const { authorization = "", apikey = "" } = request.headers;
      response.end(
        JSON.stringify({ card: "1234", access_token: "token-of-jack", said: [authorization, apikey] }),
      );
    });
    await new Promise<void>((listening) => upstream.listen(0, "127.0.0.1", listening));
  });
  afterAll(() => upstream.close());

  beforeEach(() => {
    const { port } = upstream.address() as AddressInfo;
    writeFileSync(
      file("gateway.yaml"),
      `upstreams:
  - { id: shop, nodes: { "127.0.0.1:${port}": 1 } }
consumers:
  - { username: jack, plugins: { key-auth: { key: "\${{SHOP_KEY}}" } } }
routes:
  - { id: orders, uri: /orders/*, upstream_id: shop, plugins: { response-rewrite: { filters: [{ regex: "1234", replace: "****" }] } } }
  - { id: vip, uri: /vip, upstream_id: shop, plugins: { key-auth: {} } }
`,
    );
  });

  it("gwc test --record writes a passing test from the upstream's response, without credentials", async () => {
    const credentials = ["-H", "Authorization: Bearer bearer-of-jack", "-d", '{"password":"word-of-jack"}'];
    const url = "http://shop.example.com/orders/7?token=argument-of-jack&x=1";
    for (let time = 0; time < 2; time++) {
      const { status, stderr } = await test([
        "--record",
        url,
        "-X",
        "POST",
        ...credentials,
        "--into",
        "tests.yaml",
      ]);
      expect([status, stderr]).toEqual([0, expect.stringContaining("to tests.yaml")]);
    }
    const written = readFileSync(file("tests.yaml"), "utf8");
    expect(written).not.toContain("of-jack");
    expect(written).toContain('\\"card\\":\\"1234\\"');
    expect(written).toContain("****");
    expect(await test(["gateway.yaml", "tests.yaml"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^2 tests passed/),
    });
  });

  it("gwc test --record sends the value of a variable and writes its name", async () => {
    const environment = { SHOP_KEY: "key-of-jack-and-others" };
    const asked = ["--record", "https://shop.example.com/vip", "-H", "apikey: ${{SHOP_KEY}}"];
    const { status, stdout } = await test(asked, environment);
    expect(status).toBe(0);
    expect(stdout).toContain('"apikey: ${{SHOP_KEY}}"');
    expect(stdout).toContain('route: "vip"');
    expect(stdout).not.toContain("key-of-jack");
    writeFileSync(file("tests.yaml"), stdout);
    expect((await test(["gateway.yaml", "tests.yaml"])).status).toBe(0);
  });

  it("gwc test --record writes nothing and gives the reason if it cannot make a test", async () => {
    const before = readFileSync(file("gateway.yaml"), "utf8");
    const into = await test(["--record", "http://a.example/orders/1", "--into", "gateway.yaml"]);
    expect(into).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("name a file that ends with its `tests:`"),
    });
    expect(readFileSync(file("gateway.yaml"), "utf8")).toBe(before);
    const away = [
      "--record",
      "http://a.example/orders/1",
      "--upstream",
      "http://127.0.0.1:1",
      "--into",
      "new.yaml",
    ];
    expect(await test(away)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("cannot record a response"),
    });
    expect(existsSync(file("new.yaml"))).toBe(false);
    for (const args of [
      ["orders/1"],
      ["http://a:secret-of-jack@b/"],
      ["http://b/", "--upstream", "http://a:secret-of-jack@b/"],
    ]) {
      const { status, stderr } = await test(["--record", ...args]);
      expect([status, stderr]).toEqual([2, expect.stringContaining("must be a URL without a user")]);
      expect(stderr).not.toContain("of-jack");
    }
  });
});
