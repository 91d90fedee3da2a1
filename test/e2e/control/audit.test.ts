import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ProcessGateway, until } from "../process/gateway.js";
import { exchange } from "./admin.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const ROUTE = { uri: "/a", upstream: { type: "roundrobin", nodes: { "127.0.0.1:9": 1 } } };

/** A gateway that keeps an audit file. */
async function audited(): Promise<void> {
  gateway = await ProcessGateway.prepare({});
  const file = join(gateway.directory, "gateway.json");
  const text = readFileSync(file, "utf8").replace('"admin":{', '"admin":{"audit_log":"log/audit.jsonl",');
  writeFileSync(file, text);
  await gateway.open();
}

const file = () => join(gateway.directory, "log", "audit.jsonl");
const records = () =>
  readFileSync(file(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const events = (count: number) =>
  until(() => (gateway.log("admin_write").length >= count ? gateway.log("admin_write") : undefined));

describe("an admin write", () => {
  it("is an event with who, from where, what has changed, and why not", async () => {
    gateway = await ProcessGateway.start({});
    await gateway.admin("PUT", "/routes/1", ROUTE);
    await gateway.admin("PATCH", "/routes/1", { upstream: { nodes: { "127.0.0.1:10": 1 } }, desc: "d" });
    await gateway.admin("PUT", "/routes/1", { ...ROUTE, uri: "no-slash" });
    await gateway.admin("DELETE", "/routes/1");
    await exchange(gateway.adminPort, "PUT", "/gw/admin/routes/2", "{}", { "X-API-KEY": "wrong" });
    const [put, patch, refused, removed, denied] = await events(5);
    const who = { address: "127.0.0.1", key: "test", kind: "routes", id: "1" };
    expect(put).toMatchObject({ ...who, status: 201, changed: expect.arrayContaining(["uri", "upstream"]) });
    expect(patch).toMatchObject({ ...who, status: 200, changed: ["upstream.nodes.127.0.0.1:10", "desc"] });
    expect(refused).toMatchObject({ key: "test", status: 400, reason: expect.stringContaining("uri") });
    expect(refused).not.toHaveProperty("changed");
    expect(removed).toMatchObject({ ...who, method: "DELETE", status: 200 });
    expect(denied).toMatchObject({ status: 401, reason: "failed to check token: wrong apikey" });
    expect(denied).not.toHaveProperty("key");
  });
});

describe("the audit file", () => {
  it("has each change and refusal of whoever has a key, and no secret", async () => {
    await audited();
    const consumer = (key: unknown) => ({ username: "ada", plugins: { "key-auth": { key } } });
    await gateway.admin("PUT", "/consumers/ada", consumer("first-secret-of-ada"));
    await gateway.admin("PUT", "/consumers/ada", consumer("second-secret-of-ada"));
    await gateway.admin("PUT", "/consumers/ada", consumer(["third-secret-of-ada"]));
    await gateway.admin("PUT", "/routes/1?dry_run=true", ROUTE);
    await exchange(gateway.adminPort, "PUT", "/gw/admin/routes/2", "{}", { "X-API-KEY": "wrong" });
    gateway.process.kill("SIGHUP");
    await until(() => (records().length === 4 ? true : undefined));
    const [first, second, third, reload] = records();
    const who = { event: "admin_write", key: "test", kind: "consumers", id: "ada" };
    expect(first).toMatchObject({ ...who, status: 201 });
    expect(second).toMatchObject({ ...who, status: 200, changed: ["plugins.key-auth.key"] });
    expect(third).toMatchObject({ status: 400, reason: expect.any(String) });
    expect(reload).toMatchObject({ event: "reload", ok: true });
    expect(readFileSync(file(), "utf8") + gateway.errors).not.toContain("secret-of-ada");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("can be read to its end after control was killed, also behind a line that was left unfinished", async () => {
    await audited();
    await gateway.admin("PUT", "/routes/1", ROUTE);
    const writes = Array.from({ length: 20 }, (_, n) =>
      gateway.admin("PUT", `/routes/${n + 10}`, ROUTE).then(
        ({ status }) => (status === 201 ? [String(n + 10)] : []),
        () => [],
      ),
    );
    await until(() => (records().length > 3 ? true : undefined));
    process.kill(await gateway.control(), "SIGKILL");
    const acknowledged = (await Promise.all(writes)).flat();
    expect(records().map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    appendFileSync(file(), '{"time":"2026');
    await until(async () => ((await gateway.ready().catch(() => false)) ? true : undefined), 30_000);
    await gateway.admin("DELETE", "/routes/1");
    const lines = readFileSync(file(), "utf8").split("\n");
    expect(JSON.parse(lines.at(-2) ?? "")).toMatchObject({ method: "DELETE", id: "1" });
    expect(lines.at(-3)).toBe('{"time":"2026');
  });
});
