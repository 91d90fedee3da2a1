// The running configuration, exported as a file that another gateway can start with.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI } from "../../support/cli.js";
import { ProcessGateway } from "../process/gateway.js";
import { UPSTREAM } from "./admin.js";

const SECRETS = {
  CONSUMERS_BOB_PLUGINS_KEY_AUTH_KEY: "key-of-bob",
  GWC_EXPORT_TEST_ADA: "key-of-ada",
};

interface Exported {
  configuration: Record<string, Record<string, unknown>[]>;
  variables: { name: string; resource: string }[];
  left_out: string[];
}

let gateway: ProcessGateway;
let copy: ProcessGateway | undefined;
beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  gateway = await ProcessGateway.start({
    consumers: [
      { username: "ada", plugins: { "key-auth": { key: `\${{GWC_EXPORT_TEST_ADA}}` } } },
      { username: "eve", plugins: { "key-auth": { key: "written-out-key-of-eve" } } },
    ],
    routes: [{ id: "filed", uri: "/filed", upstream: UPSTREAM, plugins: { "key-auth": {} } }],
  });
  const put = async (path: string, body: object) =>
    expect((await gateway.admin("PUT", path, body)).status).toBe(201);
  await put("/upstreams/pool", { ...UPSTREAM, desc: "ä: #1" });
  await put("/consumers/bob", { username: "bob", plugins: { "key-auth": { key: "key-of-bob" } } });
  await put("/routes/7", {
    uri: "/stored",
    upstream_id: "pool",
    plugins: { "response-rewrite": { filters: [{ regex: "a\\d+", replace: "- *b: {}" }] } },
  });
  await put("/routes/second", { uri: "/stored", upstream_id: "pool" });
});
afterAll(async () => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  await gateway.end();
  await copy?.end();
});

const run = (args: string[], key = ProcessGateway.KEY) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, GWC_ADMIN_KEY: key };
    const address = `http://127.0.0.1:${gateway.adminPort}`;
    execFile(
      process.execPath,
      [CLI, "export", "--admin", address, ...args],
      { env },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

describe("an export", () => {
  it("an export contains all resources in order, with a variable in place of each secret", async () => {
    const { status, text, json } = await gateway.admin("GET", "/export");
    const { configuration, variables, left_out } = json as unknown as Exported;
    expect([status, left_out]).toEqual([200, []]);
    expect(configuration["routes"]?.map(({ id }) => id)).toEqual(["filed", "7", "second"]);
    expect(configuration["consumers"]).toEqual([
      { username: "ada", plugins: { "key-auth": { key: `\${{GWC_EXPORT_TEST_ADA}}` } } },
      { username: "eve", plugins: { "key-auth": { key: `\${{CONSUMERS_EVE_PLUGINS_KEY_AUTH_KEY}}` } } },
      { username: "bob", plugins: { "key-auth": { key: `\${{CONSUMERS_BOB_PLUGINS_KEY_AUTH_KEY}}` } } },
    ]);
    expect(variables.map(({ name, resource }) => [name, resource])).toEqual([
      ["CONSUMERS_EVE_PLUGINS_KEY_AUTH_KEY", "consumers/eve"],
      ["CONSUMERS_BOB_PLUGINS_KEY_AUTH_KEY", "consumers/bob"],
    ]);
    for (const secret of ["key-of-ada", "key-of-bob", "written-out-key-of-eve"])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/create_time|update_time/);
  });

  it("an export of the store omits resources of files, and an unknown origin is rejected", async () => {
    const { json } = await gateway.admin("GET", "/export?origin=store");
    const { configuration } = json as unknown as Exported;
    expect(Object.keys(configuration).sort()).toEqual(["consumers", "routes", "upstreams"]);
    expect(configuration["routes"]?.map(({ id }) => id)).toEqual(["7", "second"]);
    expect((await gateway.admin("GET", "/export?origin=nobody")).status).toBe(400);
  });

  it("an export of the files contains only their resources and passes gwc check with the variables set", async () => {
    const { code, stdout } = await run(["--origin", "files"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^# 3 resources of /)]);
    expect(stdout).not.toContain("stored");
    const file = join(gateway.directory, "from-files.yaml");
    writeFileSync(file, stdout);
    const env = { ...process.env, CONSUMERS_EVE_PLUGINS_KEY_AUTH_KEY: "written-out-key-of-eve" };
    const checked = await new Promise<number>((resolve) => {
      execFile(process.execPath, [CLI, "check", file], { env }, (error) =>
        resolve(error ? Number(error.code) : 0),
      );
    });
    expect(checked).toBe(0);
  });

  it("a gateway that starts with a YAML export exports the same and accepts the same keys", async () => {
    process.env["CONSUMERS_EVE_PLUGINS_KEY_AUTH_KEY"] = "written-out-key-of-eve";
    const { code, stdout, stderr } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# 7 resources of http:\/\/127\.0\.0\.1:\d+, without listeners/);
    for (const text of [stdout, stderr])
      expect(text).toContain("set CONSUMERS_BOB_PLUGINS_KEY_AUTH_KEY: consumers/bob");
    copy = await ProcessGateway.prepare({});
    writeFileSync(join(copy.directory, "exported.yaml"), stdout);
    await copy.open({ paths: ["gateway.json", "exported.yaml"] });
    delete process.env["CONSUMERS_EVE_PLUGINS_KEY_AUTH_KEY"];
    const exported = [gateway, copy].map(async (one) => (await one.admin("GET", "/export")).json);
    const [first, second] = (await Promise.all(exported)) as unknown as [Exported, Exported];
    expect(second.configuration).toEqual(first.configuration);
    const answers = ["key-of-ada", "key-of-bob", "written-out-key-of-eve", "nobody"].map(
      async (apikey) => (await copy?.get("/filed", { apikey }))?.status,
    );
    expect(await Promise.all(answers)).toEqual([502, 502, 502, 401]);
  });

  it("gwc export writes JSON without comments, and fails with a wrong key", async () => {
    const { stdout, stderr } = await run(["--format", "json", "--origin", "store"]);
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(["consumers", "routes", "upstreams"]);
    expect(stderr).toContain("set CONSUMERS_BOB_PLUGINS_KEY_AUTH_KEY");
    const refused = await run([], "wrong-key");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/replied 401/);
    expect(refused.stderr).not.toContain("wrong-key");
  });
});
