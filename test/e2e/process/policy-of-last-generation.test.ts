import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";
import { changeLog, lastDelta } from "./generation-log.js";
import { renamesBehindRead } from "./renames-behind-read.js";

const upstream = useUpstream((_, response) => response.end("hello"));
let gateway: ProcessGateway;

beforeEach(async () => {
  gateway = await ProcessGateway.prepare({}, { workers: 1 });
});
afterEach(() => {
  vi.unstubAllEnvs();
  return gateway.end();
});

const ALLOWING = "plugins: { allow: [response-rewrite] }\n";
const DENYING = "plugins: { deny: [response-rewrite] }\n";
/** Policy that also allows the files, with another text. */
const ALSO_ALLOWING = "plugins: { deny: [key-auth] }\n";
const OTHER_POLICY = "the last known good generation cannot run: another policy, or none, accepted it";

const POLICED = { paths: ["gateway.json", "routes.json"], policy: "policy.yaml" };
const UNPOLICED = { paths: POLICED.paths };

const put = (name: string, text: string) => writeFileSync(join(gateway.directory, name), text);
const route = (plugins: object, id = "one") => ({
  ...{ id, uri: `/${id}`, upstream: { nodes: upstream.nodes } },
  plugins,
});
const REWRITE = { "response-rewrite": { headers: { set: { "X-Plugin": "ran" } } } };
const mended = (plugins: object = REWRITE) =>
  put("routes.json", JSON.stringify({ routes: [route(plugins)] }));
const broken = () => put("routes.json", '{ "routes": [');
const pluginRan = async () => (await gateway.get("/one")).headers["x-plugin"] === "ran";

async function ran(policy: string | undefined): Promise<void> {
  if (policy !== undefined) put("policy.yaml", policy);
  mended();
  await gateway.open(policy === undefined ? UNPOLICED : POLICED);
  expect(await pluginRan()).toBe(true);
}

async function refused(options: Parameters<ProcessGateway["launch"]>[0], policy: string): Promise<string> {
  put("policy.yaml", policy);
  gateway.launch(options);
  await until(() => gateway.hasEnded);
  expect(gateway.process.exitCode).toBe(1);
  expect(gateway.log("last_known_good")).toEqual([]);
  return gateway.said;
}

/** Expects a start that falls back to the last known good generation under the policy. */
async function fallsBack(policy: string): Promise<void> {
  put("policy.yaml", policy);
  await gateway.open(POLICED);
  expect(gateway.log("last_known_good")).toHaveLength(1);
  expect(await pluginRan()).toBe(true);
  await gateway.stop();
}

async function reloaded(outcome: "reloaded" | "reload_refused" = "reloaded"): Promise<void> {
  const { length } = gateway.log(outcome);
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log(outcome).length > length);
}

describe("a start whose files do not compile", () => {
  it("a start ends with both reasons if the last known good generation was made by another policy", async () => {
    await ran(ALLOWING);
    await gateway.stop();
    broken();
    await fallsBack(ALLOWING);
    const said = await refused(POLICED, DENYING);
    expect(said).toContain("routes.json:1:");
    expect(said).toContain(OTHER_POLICY);
    await fallsBack(ALLOWING);
  });

  it("a start without a policy runs a generation of any policy; one with a policy refuses one made by none", async () => {
    await ran(undefined);
    await gateway.stop();
    broken();
    expect(await refused(POLICED, ALLOWING)).toContain(OTHER_POLICY);
    mended();
    await ran(ALLOWING);
    await gateway.stop();
    broken();
    await gateway.open(UNPOLICED);
    expect(gateway.log("last_known_good")).toHaveLength(1);
    await gateway.stop();
    await fallsBack(ALLOWING);
    await ran(undefined);
    await gateway.stop();
    broken();
    expect(await refused(POLICED, ALLOWING)).toContain(OTHER_POLICY);
  });

  it("the last known good generation has the policy of the last reload, even if only the policy changed", async () => {
    await ran(ALLOWING);
    put("policy.yaml", ALSO_ALLOWING);
    await reloaded();
    put("policy.yaml", DENYING);
    await reloaded("reload_refused");
    const more = route({}, "more");
    expect(await gateway.admin("PUT", "/routes/more", more)).toMatchObject({ status: 201 });
    await gateway.stop();
    broken();
    expect(await refused(POLICED, DENYING)).toContain(OTHER_POLICY);
    expect(await refused(POLICED, ALLOWING)).toContain(OTHER_POLICY);
    await fallsBack(ALSO_ALLOWING);
  });

  it("the last known good generation has the policy of a reload that follows a fallback", async () => {
    await ran(ALLOWING);
    await gateway.stop();
    broken();
    await gateway.open(POLICED);
    put("policy.yaml", DENYING);
    mended({});
    await reloaded();
    await gateway.stop();
    broken();
    expect(await refused(POLICED, ALLOWING)).toContain(OTHER_POLICY);
    put("policy.yaml", DENYING);
    await gateway.open(POLICED);
    expect(gateway.log("last_known_good")).toHaveLength(1);
    expect(await pluginRan()).toBe(false);
  });
});

describe("a policy that changes while it is read", () => {
  it.each<[string, () => Promise<void>]>([
    ["a reload", () => reloaded()],
    [
      "a start",
      async () => {
        await gateway.stop();
        await gateway.open(POLICED);
      },
    ],
  ])("a policy that changes while it is read is recorded as %s was compiled with it", async (_what, read) => {
    vi.stubEnv("NODE_OPTIONS", renamesBehindRead(gateway.directory, "policy.yaml"));
    await ran(ALLOWING);
    put("next", ALSO_ALLOWING);
    await read();
    expect(existsSync(join(gateway.directory, "next"))).toBe(false);
    const redirect = route({ redirect: { uri: "/" } }, "tried");
    const { status } = await gateway.admin("PUT", "/routes/tried?dry_run=true", redirect);
    expect([201, 400]).toContain(status);
    const [judge, other] = status === 400 ? [ALLOWING, ALSO_ALLOWING] : [ALSO_ALLOWING, ALLOWING];
    await gateway.stop();
    vi.unstubAllEnvs();
    broken();
    expect(await refused(POLICED, other)).toContain(OTHER_POLICY);
    await fallsBack(judge);
  });

  it("a generation has no recorded policy if a kill interrupts the reload between commit and record", async () => {
    await ran(ALLOWING);
    mended({ ...REWRITE, "proxy-rewrite": { uri: "/" } });
    put("policy.yaml", ALSO_ALLOWING);
    await reloaded();
    await gateway.stop();
    changeLog(gateway.directory, (lines) => lines.slice(0, lastDelta(lines) + 2));
    broken();
    for (const policy of [ALLOWING, ALSO_ALLOWING])
      expect(await refused(POLICED, policy)).toContain(OTHER_POLICY);
  });
});

it("a start with an unreadable store ends if the last known good generation was made by another policy", async () => {
  await ran(ALLOWING);
  await gateway.stop();
  truncateSync(join(gateway.directory, "store/store.lmdb"), 8192);
  await fallsBack(ALLOWING);
  const said = await refused(POLICED, DENYING);
  expect(said).toContain("the store in");
  expect(said).toContain(OTHER_POLICY);
});

it("a build in conflict with the store ends if the build before it was checked by another policy", async () => {
  const build = (routes: object[]) => {
    gateway.write({ routes }, { workers: 1 });
    const args = ["build", "gateway.json", "--no-type-check"];
    expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  };
  const options = { paths: ["dist"], writable: true, policy: "policy.yaml" };
  put("policy.yaml", ALLOWING);
  build([route(REWRITE)]);
  await gateway.open(options);
  put("policy.yaml", ALSO_ALLOWING);
  await reloaded();
  expect(await gateway.admin("PUT", "/routes/two", route({}, "two"))).toMatchObject({ status: 201 });
  await gateway.stop();
  build([route({}), route({}, "two")]);
  expect(await refused(options, DENYING)).toContain(OTHER_POLICY);
  expect(await refused(options, ALLOWING)).toContain(OTHER_POLICY);
  put("policy.yaml", ALSO_ALLOWING);
  await gateway.open(options);
  expect(gateway.log("last_known_good")).toHaveLength(1);
  expect(await pluginRan()).toBe(true);
});

it("a gateway in one process ends if the last known good generation was made by another policy", async () => {
  gateway.write({}, { workers: 0 });
  await ran(ALLOWING);
  await gateway.stop();
  broken();
  await fallsBack(ALLOWING);
  expect(await refused(POLICED, DENYING)).toContain(OTHER_POLICY);
});

it("a successor that finds broken files and another policy leaves the running gateway in place", async () => {
  await ran(ALLOWING);
  broken();
  put("policy.yaml", DENYING);
  gateway.process.kill("SIGUSR2");
  await until(() => gateway.log("successor_failed")[0]);
  expect(await pluginRan()).toBe(true);
  mended({});
  await until(async () => (await gateway.ready()) && !(await pluginRan()));
});

it("workers continue to serve if a restarted control finds broken files and another policy", async () => {
  await ran(ALLOWING);
  broken();
  put("policy.yaml", DENYING);
  const before = gateway.child("control");
  process.kill(before, "SIGKILL");
  await until(() => gateway.said.includes(OTHER_POLICY));
  expect(await pluginRan()).toBe(true);
  mended({});
  await until(async () => (await gateway.ready()) && !(await pluginRan()));
  expect(gateway.log("last_known_good")).toEqual([]);
});
