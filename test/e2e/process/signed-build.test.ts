import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { writeSigningKeys } from "../../support/signing-keys.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream((_, response) => response.end("hello"));
let gateway: ProcessGateway;

const versioned = (version: string) => ({
  routes: [
    {
      ...{ id: "built", uri: "/built", upstream: { nodes: upstream.nodes } },
      plugins: { "response-rewrite": { headers: { set: { "X-Version": version } } } },
    },
  ],
});

/** @param key name of the key that signs; null: the build is not signed */
function build(version: string, key: string | null = "ours"): void {
  gateway.write(versioned(version));
  const signing = key === null ? [] : ["--sign", `${key}.key`];
  const args = ["build", "gateway.json", "--no-type-check", ...signing];
  expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(gateway.directory, "gateway.json"));
}

async function prepared(): Promise<void> {
  gateway = await ProcessGateway.prepare({});
  for (const name of ["ours", "theirs"]) writeSigningKeys(gateway.directory, name);
}

const inDirectory = (name: string) => join(gateway.directory, name);
const inDist = (...names: string[]) => join(gateway.directory, "dist", ...names);
const verified = { paths: ["dist"], verify: ["ours.pub"] };

/** Starts a gateway on a signed build of version 1 and stores a copy of the build. */
async function running(): Promise<void> {
  await prepared();
  build("1");
  for (const name of ["dist", "ours.pub"])
    cpSync(inDirectory(name), inDirectory(`good-${name}`), { recursive: true });
  await gateway.open(verified);
}

/** Restores and reloads version 1 and its key. */
async function restored(): Promise<void> {
  for (const name of ["dist", "ours.pub"]) {
    rmSync(inDirectory(name), { recursive: true, force: true });
    cpSync(inDirectory(`good-${name}`), inDirectory(name), { recursive: true });
  }
  const { length } = gateway.log("reloaded");
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reloaded")[length]);
  await until(async () => (await version()) === "1");
}

async function refusedReload(): Promise<string> {
  const { length } = gateway.log("reload_refused");
  gateway.process.kill("SIGHUP");
  return until(() => gateway.log("reload_refused")[length]?.["reason"] as string | undefined);
}

const version = async () => (await gateway.get("/built")).headers["x-version"];

/** Damages of the second build, with the code that refuses it. */
const DAMAGES: [string, () => void, string][] = [
  ["unsigned", () => build("2", null), "GW6110"],
  ["signed by a stranger", () => build("2", "theirs"), "GW6111"],
  [
    "with the signature of another build",
    () => {
      cpSync(inDist("manifest.sig"), join(gateway.directory, "old.sig"));
      build("2");
      renameSync(join(gateway.directory, "old.sig"), inDist("manifest.sig"));
    },
    "GW6112",
  ],
  [
    "with a module that was changed",
    () => {
      build("2");
      writeFileSync(inDist("routes", "built.ts"), "//");
    },
    "GW6105",
  ],
  [
    "with a module that was changed, and its hash in the manifest too",
    () => {
      const before = readFileSync(inDist("manifest.sig"));
      build("2", null);
      writeFileSync(inDist("manifest.sig"), before);
    },
    "GW6112",
  ],
  [
    "with a torn signature",
    () => {
      build("2");
      writeFileSync(inDist("manifest.sig"), '{"signatures":[');
    },
    "GW6114",
  ],
  [
    "whose key is gone",
    () => {
      build("2");
      rmSync(join(gateway.directory, "ours.pub"));
    },
    "GW6113",
  ],
];

describe("a gateway that runs only signed builds", () => {
  beforeAll(running);
  afterAll(() => gateway.end());
  beforeEach(restored);

  it("a gateway that verifies signatures takes a signed rebuild", async () => {
    build("2");
    gateway.process.kill("SIGHUP");
    await until(async () => (await version()) === "2");
    expect(gateway.log("reload_refused")).toEqual([]);
  });

  it.each(DAMAGES)("a reload of a build that is %s is refused with its reason", async (_, damage, code) => {
    const why = new RegExp(`error ${code}: the build in .*/dist `);
    damage();
    expect(await refusedReload()).toMatch(why);
    expect(await version()).toBe("1");
    const { status, json } = await exchange(gateway.statusPort, "GET", "/status/ready");
    expect([status, json["last_reload"]]).toMatchObject([
      200,
      { ok: false, reason: expect.stringMatching(why) },
    ]);
    const page = (await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics")).text;
    expect(page).toMatch(/^gw_config_last_reload_successful 0$/m);
  });

  it("a reload takes a replaced verification key", async () => {
    cpSync(join(gateway.directory, "theirs.pub"), join(gateway.directory, "ours.pub"));
    build("2", "theirs");
    gateway.process.kill("SIGHUP");
    await until(async () => (await version()) === "2");
  });

  it("a handover fails if the successor finds an unsigned build", async () => {
    build("2", null);
    gateway.process.kill("SIGUSR2");
    await until(() => gateway.log("successor_failed")[0]);
    expect(gateway.said).toContain("GW6110");
    expect(await version()).toBe("1");
  });
});

describe("a gateway with --verify", () => {
  beforeEach(prepared);
  afterEach(() => gateway.end());

  it("gwc run --verify does not start on an unsigned build and opens no listener", async () => {
    build("1", null);
    gateway.launch(verified);
    await until(() => gateway.process.exitCode === 1);
    expect(gateway.said).toContain("GW6110");
    expect(gateway.output).toBe("");
  });

  it("gwc run --verify does not start on configuration files, which cannot be signed", async () => {
    gateway.write(versioned("1"));
    gateway.launch({ ...verified, paths: ["gateway.json"] });
    await until(() => gateway.process.exitCode === 1);
    expect(gateway.said).toContain("only signed builds run here");
  });
});
