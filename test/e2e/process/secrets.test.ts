import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLmdbStore } from "../../../runtime/control/store/lmdb.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

// Plain-text secrets of a configuration are in no file, log line or response, and still work.

const PASSWORD = "Sa5l-Passw0rd-of-the-logger";
const KEY = "k3y-of-the-consumer-jack";
const FILE_PASSWORD = "Passw0rd-in-the-c0nfiguration";

const upstream = useUpstream();

const logger = (password: unknown) => ({
  "broker-logger": {
    brokers: [{ host: "127.0.0.1", port: 1, sasl_config: { user: "u", password } }],
    broker_topic: "t",
  },
});
const route = (uri: string, plugins: object) => ({
  uri,
  upstream: { type: "roundrobin", nodes: upstream.nodes },
  plugins,
});

let gateway: ProcessGateway;
beforeEach(async () => {
  gateway = await ProcessGateway.start({
    routes: [{ id: "file", ...route("/file", logger(FILE_PASSWORD)) }],
  });
  await put("/routes/stored", route("/stored", logger(PASSWORD)));
  await put("/consumers", { username: "jack", plugins: { "key-auth": { key: KEY } } });
  await put("/routes/auth", route("/auth", { "key-auth": {} }));
});
afterEach(() => gateway.end());

async function put(path: string, body: object): Promise<string> {
  const { status, text } = await gateway.admin("PUT", path, body);
  expect([200, 201], text).toContain(status);
  return text;
}

/** Files below a directory that contain the text. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

async function runDirectory(): Promise<string> {
  const environment = readFileSync(`/proc/${gateway.child("control")}/environ`, "utf8").split("\0");
  return environment.find((one) => one.startsWith("GWC_RUN_DIRECTORY="))?.split("=")[1] ?? "";
}

const isLetIn = async () => (await gateway.get("/auth", { apikey: KEY })).status === 200;

describe("a plain-text secret", () => {
  it("a plain-text secret is in no response of the admin API and in no log line", async () => {
    const answers: string[] = [];
    for (const path of ["/routes", "/routes/stored", "/routes/file", "/consumers", "/consumers/jack"])
      answers.push((await gateway.admin("GET", path)).text);
    answers.push(await put("/routes/stored", route("/stored", logger(PASSWORD))));
    answers.push((await gateway.admin("PATCH", "/routes/stored", { desc: "changed" })).text);
    for (const [path, body] of [
      ["/routes/wrong", route("/wrong", logger([PASSWORD]))],
      ["/routes/wrong", { ...route("/wrong", logger(PASSWORD)), prioritty: 1 }],
      ["/routes/wrong", { ...route("/wrong", logger(PASSWORD)), service_id: "none" }],
      ["/consumers", { username: "jill", plugins: { "key-auth": { key: KEY } } }],
      ["/consumers", { username: "jack", plugins: { "key-auth": { key: KEY, kee: KEY } } }],
    ] as const) {
      const { status, text } = await gateway.admin("PUT", path, body);
      expect([status, text]).toEqual([400, expect.any(String)]);
      answers.push(text);
    }
    const all = answers.join("\n") + gateway.errors + gateway.output;
    for (const secret of [PASSWORD, KEY, FILE_PASSWORD]) expect(all).not.toContain(secret);
    expect(answers[1]).toMatch(/"password":"\*\*\*[0-9a-f]{8}"/);
    expect(answers[2]).toMatch(/"password":"\*\*\*[0-9a-f]{8}"/);
  });

  it("a plain-text secret is in no file but the configuration file", async () => {
    await gateway.get("/stored");
    await gateway.get("/file");
    const directories = [gateway.directory, await runDirectory()];
    for (const secret of [PASSWORD, KEY])
      expect(directories.flatMap((directory) => filesWith(directory, secret))).toEqual([]);
    const own = join(gateway.directory, "gateway.json");
    expect(directories.flatMap((directory) => filesWith(directory, FILE_PASSWORD))).toEqual([own]);
    expect(statSync(join(gateway.directory, "store/encryption.key")).mode & 0o777).toBe(0o600);
  });

  it("a stored secret is unchanged if its mask is sent back, and the mask is refused elsewhere", async () => {
    const { json } = await gateway.admin("GET", "/consumers/jack");
    const { username, plugins } = json["value"] as { username: string; plugins: object };
    await put("/consumers", { username, plugins, desc: "sent back" });
    expect(await isLetIn()).toBe(true);
    const refused = await gateway.admin("PUT", "/consumers", { username: "jill", plugins });
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining('"plugins.key-auth.key" is the mask of a secret') as string,
    ]);
  });

  it("a stored secret works after kill -9 of workers and control and after a restart", async () => {
    for (const { pid } of await gateway.workers()) process.kill(pid, "SIGKILL");
    await until(() => gateway.ready());
    expect(await isLetIn()).toBe(true);
    process.kill(gateway.child("control"), "SIGKILL");
    await until(() =>
      gateway.ready().then(
        (ready) => ready || undefined,
        () => undefined,
      ),
    );
    gateway.write({ routes: [{ id: "file", ...route("/file", logger(`another-${FILE_PASSWORD}`)) }] });
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded")[0]);
    expect(gateway.log("secret_not_known")).toEqual([]);
    await gateway.stop();
    await gateway.open();
    expect(await isLetIn()).toBe(true);
    expect(gateway.log("secret_not_known")).toEqual([]);
  });

  it("a write with an unset variable is refused, and one with a set variable does not reveal its value", async () => {
    const unset = await gateway.admin("PUT", "/routes/unset", route("/unset", logger("$" + "{{GWC_UNSET}}")));
    expect([unset.status, unset.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining("the environment variable GWC_UNSET is not set") as string,
    ]);
    const set = await gateway.admin("PUT", "/routes/set", route("/set", logger("$" + "{{GW_TEST_KEY}}")));
    expect([set.status, set.text]).toEqual([201, expect.stringContaining("{{GW_TEST_KEY}}")]);
    expect(gateway.errors + set.text).not.toContain(ProcessGateway.KEY);
  });

  it("a store without its encryption key is not readable, while the last known good generation serves", async () => {
    const key = join(gateway.directory, "store/encryption.key");
    await gateway.stop();
    renameSync(key, `${key}.away`);
    await gateway.open();
    const { status, json } = await gateway.admin("GET", "/consumers/jack");
    expect([status, json["error_msg"]]).toEqual([503, expect.stringContaining("encryption key") as string]);
    expect(await isLetIn()).toBe(true);
    expect(gateway.log("secret_not_known").length).toBeGreaterThan(0);
    await gateway.stop();
    rmSync(key);
    renameSync(`${key}.away`, key);
    await gateway.open();
    expect(await isLetIn()).toBe(true);
    expect((await gateway.admin("GET", "/consumers/jack")).status).toBe(200);
  });

  it("a plain-text secret in a store of an earlier version is encrypted at the start", async () => {
    await gateway.stop();
    const store = openLmdbStore(join(gateway.directory, "store"));
    const { resources, ...meta } = store.load();
    const open = resources
      .filter(({ kind }) => kind === "consumers")
      .map(({ secrets: _, ...resource }) => ({
        ...resource,
        value: { username: "jack", plugins: { "key-auth": { key: KEY } } },
      }));
    store.commit({ ...meta, put: open, remove: [] });
    await store.close();
    await gateway.open();
    expect(gateway.log("secrets_encrypted")).toMatchObject([{ resources: 1 }]);
    expect(await isLetIn()).toBe(true);
    await gateway.stop();
    const after = openLmdbStore(join(gateway.directory, "store"));
    expect(JSON.stringify(after.load())).not.toContain(KEY);
    await after.close();
  });
});

describe("gw.data_encryption.keyring", () => {
  it("gw.data_encryption.keyring encrypts with its first key and reads what the key in the store encrypted", async () => {
    await gateway.stop();
    const files = { routes: [{ id: "file", ...route("/file", logger(FILE_PASSWORD)) }] };
    gateway.write(files, { data_encryption: { keyring: ["a key that is long enough"] } });
    await gateway.open();
    expect(await isLetIn()).toBe(true);
    await put("/consumers", { username: "jack", plugins: { "key-auth": { key: KEY } } });
    await put("/routes/stored", route("/stored", {}));
    await gateway.stop();
    rmSync(join(gateway.directory, "store/encryption.key"));
    await gateway.open();
    expect(await isLetIn()).toBe(true);
    expect(await gateway.ready()).toBe(true);
  });
});
