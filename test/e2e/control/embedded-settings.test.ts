import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tlsPolicyFrom } from "../../../runtime/abi/tls-policy.js";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import type { Settings } from "../../../runtime/control/settings.js";
import { issue } from "../../support/certificates.js";
import { gwc } from "../../support/cli.js";
import { atLevel, handshake, subjectOf } from "../tls/harness.js";
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

const write = (gw: object, resources: object = {}) =>
  writeFileSync(
    join(directory, "gateway.json"),
    JSON.stringify({
      gw,
      deployment: { admin: { admin_key: [{ name: "file", key: "key-of-the-file-itself", role: "admin" }] } },
      routes: [ROUTE],
      ...resources,
    }),
  );

const anywhere = (setting: string) => ({ host: "127.0.0.1", port: 0, setting });
const startWith = (settings: Partial<Settings>, paths = ["gateway.json"]) =>
  startGateway({
    paths,
    directory,
    store: false,
    settings: {
      data: [anywhere("data")],
      admin: anywhere("admin"),
      status: anywhere("status"),
      metrics: null,
      adminKeys: [{ name: "own", key: KEY, role: "admin" }],
      ...settings,
    },
  });

it("settings of the embedding program outlive a reload, which applies all other settings", async () => {
  write({});
  gateway = await startWith({});
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

describe("a certificate that a reload adds", () => {
  const authority = () => issue({ names: ["authority.test"], authority: true });
  const weak = () => issue({ names: ["a.example"], kind: "short rsa", by: authority() });
  const inTexts = () => ({ id: "weak", sni: "a.example", ...weak() });
  const inFiles = () => {
    const { cert, key } = weak();
    writeFileSync(join(directory, "cert.pem"), cert);
    writeFileSync(join(directory, "key.pem"), key);
    return { id: "weak", sni: "a.example", cert_file: "cert.pem", key_file: "key.pem" };
  };
  const policyAt = (level: number) => ({ tls: [anywhere("tls")], tlsPolicy: tlsPolicyFrom(atLevel(level)) });
  const settingsAt = (level: number) => ({ ssl: { listen: [9443], ...atLevel(level) } });

  it.each<[string, () => object]>([
    ["that is written out", inTexts],
    ["in files", inFiles],
  ])(
    "a certificate %s is rejected by the embedding program's tlsPolicy, though the files allow it",
    async (_where, made) => {
      write(settingsAt(0));
      gateway = await startWith(policyAt(2));
      write(settingsAt(0), { ssls: [made()] });
      expect(await gateway.reload()).toBe(false);
    },
  );

  it.each<[string, () => object]>([
    ["that is written out", inTexts],
    ["in files", inFiles],
  ])(
    "a certificate %s is accepted by the embedding program's tlsPolicy, though the files reject it",
    async (_where, made) => {
      write(settingsAt(2));
      gateway = await startWith(policyAt(0));
      write(settingsAt(2), { ssls: [made()] });
      expect(await gateway.reload()).toBe(true);
      const socket = await handshake(gateway.addresses.tls[0]?.port ?? 0, { servername: "a.example" });
      expect(subjectOf(socket)).toBe("a.example");
    },
  );

  it("a certificate of another build is rejected by the embedding program's tlsPolicy", async () => {
    const build = () => {
      expect(gwc(directory, ["build", "gateway.json", "--out", "dist"]).status).toBe(0);
    };
    write(settingsAt(0));
    build();
    gateway = await startWith(policyAt(2), ["dist"]);
    write(settingsAt(0), { ssls: [inFiles()] });
    build();
    expect(await gateway.reload()).toBe(false);
  });
});
