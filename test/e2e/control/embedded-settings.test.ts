import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { exchange } from "./admin.js";

const KEY = "key-of-the-embedding-program";
const ROUTE = { id: "r", uri: "/r", plugins: { "response-rewrite": { body: "r" } } };

let directory: string;
let gateway: Gateway;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-embedded-"));
});
afterEach(async () => {
  await gateway.close(0);
  rmSync(directory, { recursive: true, force: true });
});

const write = (gw: object) =>
  writeFileSync(
    join(directory, "gateway.json"),
    JSON.stringify({
      gw,
      deployment: { admin: { admin_key: [{ name: "file", key: "key-of-the-file-itself", role: "admin" }] } },
      routes: [ROUTE],
    }),
  );

it("settings that the embedding program replaces stay replaced after a reload, which takes all others", async () => {
  write({});
  const anywhere = (setting: string) => ({ host: "127.0.0.1", port: 0, setting });
  gateway = await startGateway({
    paths: ["gateway.json"],
    directory,
    store: false,
    settings: {
      data: [anywhere("data")],
      admin: anywhere("admin"),
      status: anywhere("status"),
      metrics: null,
      adminKeys: [{ name: "own", key: KEY, role: "admin" }],
    },
  });
  const ask = async (kind: "admin" | "data", path: string, key = KEY) => {
    const port = gateway.addresses[kind]?.[0]?.port ?? 0;
    return (await exchange(port, "GET", path, undefined, { "X-API-KEY": key })).status;
  };
  const seen = async () => [
    await ask("admin", "/gw/admin/routes"),
    await ask("admin", "/gw/admin/routes", "key-of-the-file-itself"),
    await ask("data", `/${"r".repeat(100)}`),
  ];
  expect(await seen()).toEqual([200, 401, 404]);
  write({ limits: { target_bytes: 100 } });
  expect(await gateway.reload()).toBe(true);
  expect(await seen()).toEqual([200, 401, 414]);
});
