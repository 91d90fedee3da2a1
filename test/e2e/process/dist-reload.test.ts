import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway, type RunWith } from "./gateway.js";

const BUILD = { paths: ["dist"] };

const upstream = useUpstream((_, response) => response.end("hello"));
let gateway: ProcessGateway;
/** Copies of built directories, by the directory and content that they are built from. */
const copies = new Map<string, string>();

const versioned = (version: string, ids = ["built"]) => ({
  routes: ids.map((id) => ({
    ...{ id, uri: `/${id}`, upstream: { nodes: upstream.nodes } },
    plugins: { "response-rewrite": { headers: { set: { "X-Version": version } } } },
  })),
});

/**
 * Builds the gateway's configuration with these resources to `out`, or copies an earlier build of the same
 * content.
 */
function build(resources: object, out = "dist", gw: Record<string, unknown> = {}): void {
  const key = JSON.stringify([gateway.directory, resources, gw]);
  const copy = copies.get(key);
  if (copy !== undefined) {
    rmSync(join(gateway.directory, out), { recursive: true, force: true });
    cpSync(copy, join(gateway.directory, out), { recursive: true });
    return;
  }
  gateway.write(resources, gw);
  const args = ["build", "gateway.json", "--no-type-check", "--out", out];
  expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(gateway.directory, "gateway.json"));
  const kept = join(gateway.directory, `copy-${copies.size}`);
  cpSync(join(gateway.directory, out), kept, { recursive: true });
  copies.set(key, kept);
}

async function running(resources: object, options: RunWith = {}): Promise<void> {
  gateway = await ProcessGateway.prepare(resources);
  build(resources);
  await gateway.open({ ...BUILD, ...options });
}

/** Sends SIGHUP; resolves with the log event of its outcome. */
async function reloaded(): Promise<Record<string, unknown>> {
  const events = () => [...gateway.log("reloaded"), ...gateway.log("reload_refused")];
  const { length } = events();
  gateway.process.kill("SIGHUP");
  await until(() => events().length > length);
  const [last = {}] = gateway.errors
    .split("\n")
    .filter((line) => /"event":"reload(ed|_refused)"/.test(line))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .reverse();
  return last;
}

const ready = () => exchange(gateway.statusPort, "GET", "/status/ready");
const metrics = async () => (await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics")).text;

describe("SIGHUP to a gateway that runs a build", () => {
  beforeAll(() => running(versioned("1")));
  afterAll(() => gateway.end());
  beforeEach(async () => {
    build(versioned("1"));
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    await until(async () => (await gateway.get("/built")).headers["x-version"] === "1");
  });

  it("a reload loads the rebuilt directory as one generation", async () => {
    const before = (await ready()).json["generation"] as number;
    build(versioned("2", ["built", "new"]));
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    expect((await gateway.get("/built")).headers["x-version"]).toBe("2");
    expect((await gateway.get("/new")).headers["x-version"]).toBe("2");
    expect((await ready()).json["generation"]).toBe(before + 1);
    build(versioned("3", ["new"]));
    await reloaded();
    expect((await gateway.admin("GET", "/routes")).json).toMatchObject({
      total: 1,
      list: [
        {
          key: "/gw/routes/new",
          value: { uri: "/new" },
          static: expect.stringMatching(/^gateway\.json:\d+:\d+$/),
        },
      ],
    });
    expect((await gateway.get("/built")).status).toBe(404);
    expect((await gateway.get("/new")).headers["x-version"]).toBe("3");
  });

  it("the history has each change of a rebuilt directory with its location in the source files", async () => {
    build(versioned("2", ["built", "new"]));
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    const { json } = await gateway.admin("GET", "/history?origin=files&limit=2");
    const of = { origin: "files", method: "RELOAD", place: expect.stringMatching(/^gateway\.json:\d+:\d+$/) };
    expect(json["list"]).toHaveLength(2);
    expect(json["list"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...of, id: "new", did: "made" }),
        expect.objectContaining({
          ...{ ...of, id: "built", did: "changed" },
          changed: ["plugins.response-rewrite.headers.set.X-Version"],
        }),
      ]),
    );
  });

  it("a reload takes the settings of the rebuilt directory too", async () => {
    const traced = async () => (await exchange(gateway.port, "TRACE", "/built")).status;
    expect(await traced()).toBe(405);
    build(versioned("1"), "dist", { allow_trace: true });
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    await until(async () => (await traced()) === 200);
  });

  it("a restarted control loads the rebuilt directory with its settings without a SIGHUP", async () => {
    const traced = async () => (await exchange(gateway.port, "TRACE", "/built")).status;
    build(versioned("2"), "dist", { allow_trace: true });
    const { length } = gateway.log("ready");
    process.kill(gateway.child("control"), "SIGKILL");
    await until(() => gateway.log("ready").length > length);
    await until(async () => (await traced()) === 200);
    expect((await gateway.get("/built")).headers["x-version"]).toBe("2");
    build(versioned("1"));
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    await until(async () => (await traced()) === 405);
  });

  it("a reload of the same directory makes no new generation", async () => {
    const before = (await ready()).json["generation"];
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    expect((await ready()).json["generation"]).toBe(before);
  });

  it.each([
    ["changed", (dist: string) => writeFileSync(join(dist, "routes", "built.ts"), "//"), /GW6105/],
    ["torn", (dist: string) => rmSync(join(dist, "routes", "built.ts")), /GW6106/],
    ["foreign", (dist: string) => writeFileSync(join(dist, "routes", "other.ts"), "//"), /GW6107/],
    ["gone", (dist: string) => rmSync(dist, { recursive: true }), /GW6103/],
    [
      "of another ABI",
      (dist: string) => {
        const file = join(dist, "manifest.json");
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), abi: 1 }));
      },
      /GW6104/,
    ],
  ])(
    "a reload of a build that is %s is refused with its reason in log and status and a metric",
    async (_, damage, why) => {
      build(versioned("2"));
      damage(join(gateway.directory, "dist"));
      expect(await reloaded()).toMatchObject({ event: "reload_refused", reason: expect.stringMatching(why) });
      expect((await gateway.get("/built")).headers["x-version"]).toBe("1");
      const { status, json } = await ready();
      expect([status, json["last_reload"]]).toEqual([
        200,
        { ok: false, at: expect.stringMatching(/Z$/), reason: expect.stringMatching(why) },
      ]);
      expect(await metrics()).toMatch(/^gw_config_last_reload_successful 0$/m);
      rmSync(join(gateway.directory, "dist"), { recursive: true, force: true });
      build(versioned("3"));
      await reloaded();
      expect((await gateway.get("/built")).headers["x-version"]).toBe("3");
      expect(await metrics()).toMatch(/^gw_config_last_reload_successful 1$/m);
      expect((await ready()).json["last_reload"]).toMatchObject({ ok: true });
    },
  );

  it("a reload is refused if a secret of the new build is not in the environment", async () => {
    const keyed = { "key-auth": {} };
    const consumers = [{ username: "jane", plugins: { "key-auth": { key: "${{UNSET_KEY}}" } } }];
    const [route] = versioned("2").routes;
    gateway.write({ routes: [{ ...route, plugins: keyed }], consumers });
    expect(gwc(gateway.directory, ["build", "gateway.json", "--out", "dist"])).toMatchObject({ status: 0 });
    expect(await reloaded()).toMatchObject({
      event: "reload_refused",
      reason: expect.stringMatching(/GW3016.*UNSET_KEY/),
    });
    expect((await gateway.get("/built")).headers["x-version"]).toBe("1");
  });

  it("no request fails while builds replace each other", async () => {
    const statuses = new Set<number>();
    let on = true;
    const load = Array.from({ length: 4 }, async () => {
      while (on) statuses.add((await gateway.get("/built")).status);
    });
    for (let n = 2; n <= 6; n += 1) {
      build(versioned(String(n)), "next");
      mkdirSync(join(gateway.directory, "old"), { recursive: true });
      renameSync(join(gateway.directory, "dist"), join(gateway.directory, "old", String(n)));
      renameSync(join(gateway.directory, "next"), join(gateway.directory, "dist"));
      expect(await reloaded()).toMatchObject({ event: "reloaded" });
      expect((await gateway.get("/built")).headers["x-version"]).toBe(String(n));
    }
    on = false;
    await Promise.all(load);
    expect([...statuses]).toEqual([200]);
  });
});

describe("SIGHUP to a gateway that runs a build and has its own options", () => {
  afterEach(() => gateway.end());

  it("a reload is refused if the build has a changed plugin, which needs a restart", async () => {
    gateway = await ProcessGateway.prepare({});
    const withPackage = (value: string) => ({
      plugins: ["./speaking"],
      routes: [
        { id: "built", uri: "/built", upstream: { nodes: upstream.nodes }, plugins: { speaking: { value } } },
      ],
    });
    const folder = join(gateway.directory, "speaking");
    const runtime = (word: string) => ({
      "index.js": definition(
        "speaking",
        `exports: { word: [] }, runtime: "runtime/index.js",
  view: (_, printer) => ({ headers: { owner: null, statements: [printer.code\`x.response.headers.set(\${printer.literal("X-Word")}, \${printer.imported("word")}())\`] } }),`,
      ),
      "runtime/index.js": `export const word = () => ${JSON.stringify(word)};\nexport const runtime = { exports: { word } };\n`,
      "runtime/index.d.ts": `import type { PluginRuntime } from "gwc/plugin";\nexport function word(): string;\nexport const runtime: PluginRuntime;\n`,
    });
    writeFiles(folder, packageFiles("speaking", runtime("one")));
    build(withPackage("a"));
    await gateway.open(BUILD);
    expect((await gateway.get("/built")).headers["x-word"]).toBe("one");
    writeFiles(folder, packageFiles("speaking", runtime("two")));
    copies.clear();
    build(withPackage("a"));
    expect(await reloaded()).toMatchObject({
      event: "reload_refused",
      reason: expect.stringMatching(/plugin "speaking".*restart/),
    });
    expect((await gateway.get("/built")).headers["x-word"]).toBe("one");
  });

  it("a writable gateway reloads its build, but refuses one with an id that the store has", async () => {
    await running(versioned("1"), { writable: true });
    const put = await gateway.admin("PUT", "/routes/stored", {
      uri: "/stored",
      upstream: { nodes: upstream.nodes },
    });
    expect(put.status).toBe(201);
    build(versioned("2"));
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    expect((await gateway.get("/built")).headers["x-version"]).toBe("2");
    expect((await gateway.get("/stored")).text).toBe("hello");
    build(versioned("3", ["built", "stored"]));
    expect(await reloaded()).toMatchObject({
      event: "reload_refused",
      reason: expect.stringContaining("routes/stored"),
    });
    expect((await gateway.get("/built")).headers["x-version"]).toBe("2");
    build(versioned("4", ["new"]));
    await reloaded();
    const own = await gateway.admin("PUT", "/routes/new", { uri: "/y", upstream: { nodes: upstream.nodes } });
    expect(own.status).toBe(400);
    expect(
      (await gateway.admin("PUT", "/routes/built", { uri: "/built", upstream: { nodes: upstream.nodes } }))
        .status,
    ).toBe(201);
    expect((await gateway.get("/built")).text).toBe("hello");
  });

  it("a build has the same admin key at each start, in the directory of its store", async () => {
    gateway = await ProcessGateway.prepare({});
    build({ ...versioned("1"), deployment: { store: { type: "lmdb", path: "kept" } } });
    const keys = [];
    for (let start = 0; start < 2; start += 1) {
      await gateway.open(BUILD);
      const key = readFileSync(join(gateway.directory, "kept", "admin.key"), "utf8").trim();
      expect(gateway.output).not.toContain(key);
      keys.push(key);
      await gateway.stop();
    }
    expect(keys[0]).toMatch(/^adm_.{32}$/);
    expect(keys[1]).toBe(keys[0]);
  });
});
