// Fixes of diagnostics as data, in responses of the admin API and of `gwc check --format json`.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { AdminGateway, UPSTREAM } from "./admin.js";

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  await admin.call("PUT", "/upstreams/orders", UPSTREAM);
});
afterAll(() => admin.stop());

async function fixesOf(path: string, body: unknown): Promise<unknown[]> {
  const { status, json } = await admin.call("PUT", `${path}?dry_run=true`, body);
  expect(status).toBe(400);
  return (json["diagnostics"] as { fix?: unknown }[]).flatMap(({ fix }) => fix ?? []);
}
const ROUTE = { uri: "/a", upstream: UPSTREAM };
const rewrite = (settings: object) => ({ ...ROUTE, plugins: { "response-rewrite": settings } });

describe("a diagnostic", () => {
  it.each([
    ["an unknown field", { ...ROUTE, uri: undefined, url: "/a" }, { op: "rename", path: ["url"], to: "uri" }],
    [
      "an unknown field of a plugin",
      rewrite({ heders: { set: { "X-A": "1" } } }),
      { op: "rename", path: ["plugins", "response-rewrite", "heders"], to: "headers" },
    ],
    [
      "an unknown plugin",
      { ...ROUTE, plugins: { response_rewrit: {} } },
      { op: "rename", path: ["plugins", "response_rewrit"], to: "response-rewrite" },
    ],
    ["a number in quotes", { ...ROUTE, priority: "10" }, { op: "replace", path: ["priority"], value: 10 }],
    [
      "a word for true",
      { ...ROUTE, enable_websocket: "yes" },
      { op: "replace", path: ["enable_websocket"], value: true },
    ],
    [
      "a text where a list is",
      { ...ROUTE, methods: "GET" },
      { op: "replace", path: ["methods"], value: ["GET"] },
    ],
    [
      "a value that nearly is one",
      { ...ROUTE, methods: ["GTE"] },
      { op: "replace", path: ["methods", 0], value: "GET" },
    ],
    [
      "an item that is there twice",
      { ...ROUTE, methods: ["GET", "GET"] },
      { op: "remove", path: ["methods", 1] },
    ],
    [
      "a reference that nearly leads somewhere",
      { uri: "/a", upstream_id: "order" },
      { op: "replace", path: ["upstream_id"], value: "orders" },
    ],
  ])("a diagnostic contains the fix of %s", async (_what, body, fix) => {
    expect(await fixesOf("/routes/a", body)).toEqual([fix]);
  });

  it.each([
    ["a name that is taken", { ...ROUTE, url: "/b" }],
    ["what nobody can have meant", { ...ROUTE, teapot: 1 }],
    ["half a number where a whole one is", { ...ROUTE, priority: "1.5" }],
  ])("a diagnostic contains no fix of %s", async (_what, body) => {
    expect(await fixesOf("/routes/a", body)).toEqual([]);
  });

  it("a fix contains no value of a secret", async () => {
    const consumer = { username: "jack", plugins: { "key-auth": { key: 12_345_678 } } };
    const { status, text } = await admin.call("PUT", "/consumers?dry_run=true", consumer);
    expect([status, text.includes("12345678"), text.includes('"fix"')]).toEqual([400, false, false]);
  });
});

describe("gwc check --format json", () => {
  const directory = useTemporaryDirectory();

  it("a fix has its path from the root of the file, and a value of the environment has no fix", () => {
    const routes = [
      "routes:",
      "  - { id: a, uri: /a, upstream_id: u, priority: '10' }",
      "  - id: b",
      "    uri: /b",
      "    upstream_id: u",
      '    priority: "${{GWC_TEST_PRIORITY}}"',
      "upstreams:",
      "  - { id: u, nodes: { '127.0.0.1:9': 1 }, retires: 1 }",
    ];
    writeFileSync(join(directory.path, "gateway.yaml"), `${routes.join("\n")}\n`);
    const { stdout } = gwc(directory.path, ["check", "--format", "json"], { GWC_TEST_PRIORITY: "20" });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { fix?: unknown }[] };
    expect(diagnostics.flatMap(({ fix }) => fix ?? [])).toEqual([
      { op: "replace", path: ["routes", 0, "priority"], value: 10 },
      { op: "rename", path: ["upstreams", 0, "retires"], to: "retries" },
    ]);
    expect(diagnostics).toHaveLength(3);
  });
});
