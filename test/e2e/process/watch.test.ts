import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
let gateway: ProcessGateway;
afterEach(() => {
  vi.unstubAllEnvs();
  return gateway.end();
});

const versioned = (version: string) => ({
  routes: [
    {
      ...{ id: "a", uri: "/a", upstream: { nodes: upstream.nodes } },
      plugins: { "response-rewrite": { headers: { set: { "X-Version": version } } } },
    },
  ],
});

const served = async () => (await gateway.get("/a")).headers["x-version"];
const serves = (version: string) => until(async () => (await served()) === version);

function build(version: string, out: string): void {
  gateway.write(versioned(version));
  const args = ["build", "gateway.json", "--no-type-check", "--out", out];
  expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(gateway.directory, "gateway.json"));
}

describe("gwc run --watch", () => {
  it.each([2, 0])(
    "gwc run --watch serves a changed file and continues to serve if a file is invalid (%i workers)",
    async (workers) => {
      gateway = await ProcessGateway.prepare(versioned("1"));
      await gateway.open({ watch: true, workers });
      expect(await served()).toBe("1");
      gateway.write(versioned("2"));
      await serves("2");
      writeFileSync(join(gateway.directory, "gateway.json"), "{ broken");
      await until(() => gateway.log("reload_refused").length > 0);
      expect(await served()).toBe("2");
      gateway.write(versioned("3"));
      await serves("3");
    },
  );

  it.each([2, 0])(
    "gwc run --watch reads settings again that change after the start has read them (%i workers)",
    async (workers) => {
      gateway = await ProcessGateway.prepare(versioned("1"));
      const file = join(gateway.directory, "gateway.json");
      const changed = join(gateway.directory, "changed");
      gateway.write(versioned("2"), { limits: { target_bytes: 100 } });
      renameSync(file, changed);
      gateway.write(versioned("1"));
      // The process that reads the settings of a start renames the other file into place at its exit.
      const renames = `import { renameSync } from "node:fs";
        if (process.argv[1]?.includes("settings-main"))
          process.on("exit", () => renameSync(${JSON.stringify(changed)}, ${JSON.stringify(file)}));`;
      vi.stubEnv("NODE_OPTIONS", `--import data:text/javascript,${encodeURIComponent(renames)}`);
      await gateway.open({ watch: true, workers });
      await until(async () => (await gateway.get(`/${"a".repeat(100)}`)).status === 414);
      expect(await served()).toBe("2");
    },
  );

  it("gwc run --watch reloads for new and removed files of a directory, but not for one of another type", async () => {
    gateway = await ProcessGateway.prepare(versioned("1"));
    const folder = join(gateway.directory, "conf");
    mkdirSync(folder);
    const more = { routes: [{ id: "b", uri: "/b", upstream: { nodes: upstream.nodes } }] };
    writeFileSync(join(folder, "empty.json"), '{ "routes": [] }');
    await gateway.open({ watch: true, paths: ["gateway.json", "conf"] });
    const status = async () => (await gateway.get("/b")).status;
    writeFileSync(join(folder, "b.json"), JSON.stringify(more));
    await until(async () => (await status()) === 200);
    // The log line may follow the change that it reports.
    const reloads = () => gateway.log("reloaded").length;
    await until(() => reloads() > 0);
    const before = reloads();
    writeFileSync(join(folder, "access.log"), "a line");
    rmSync(join(folder, "b.json"));
    await until(async () => (await status()) === 404);
    await until(() => reloads() > before);
    expect(reloads()).toBe(before + 1);
  });

  it("gwc run --watch serves a rebuilt directory and a retargeted symbolic link to another", async () => {
    gateway = await ProcessGateway.prepare(versioned("1"));
    const at = (name: string) => join(gateway.directory, name);
    build("1", "one");
    symlinkSync("one", at("dist"));
    await gateway.open({ watch: true, paths: ["dist"] });
    expect(await served()).toBe("1");
    build("2", "two");
    symlinkSync("two", at("next"));
    renameSync(at("next"), at("dist"));
    await serves("2");
    build("3", "two");
    await serves("3");
    expect(gateway.log("reload_refused")).toEqual([]);
  });
});
