import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";
import { exchange } from "./admin.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const ROUTE = { uri: "/a", upstream: { type: "roundrobin", nodes: { "127.0.0.1:9": 1 } } };

/** Starts a gateway with an audit file. @param admin more JSON members of `deployment.admin` */
async function audited(admin = ""): Promise<void> {
  gateway = await ProcessGateway.prepare({});
  const file = join(gateway.directory, "gateway.json");
  const text = readFileSync(file, "utf8").replace(
    '"admin":{',
    `"admin":{"audit_log":"log/audit.jsonl",${admin}`,
  );
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
  it("admin_write logs client, key, changed fields and the reason of a rejection", async () => {
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

describe("a write of a disabled plugin", () => {
  it("a write of a disabled plugin is stored without showing text of fields that the plugin lacks", async () => {
    await audited();
    const SECRET = "Sesame-7f3a";
    const [_meta, header] = [{ disable: true }, "X-Key"];
    const consumer = (settings: object) => ({
      username: "ada",
      plugins: { "key-auth": { _meta, ...settings } },
    });
    const settings = [
      { header, Key: SECRET },
      { header, secret: SECRET, deep: { list: [1, [SECRET]] } },
      { header: [SECRET], query: { [header]: SECRET } },
      { hide_credentials: SECRET },
    ];
    for (const one of settings) {
      const { json, text } = await gateway.admin("PUT", "/routes/1", {
        ...ROUTE,
        plugins: { "key-auth": { _meta, ...one } },
      });
      const { plugins } = json["value"] as { plugins: object };
      // A client may send the response back unchanged.
      const { status } = await gateway.admin("PUT", "/routes/1", { ...ROUTE, plugins });
      expect([one, status, text.includes(SECRET)]).toEqual([one, 200, false]);
      if ("header" in one && typeof one.header === "string")
        expect(plugins).toMatchObject({ "key-auth": { header } });
    }
    for (const one of [{ key: [SECRET] }, { Key: SECRET }, { keys: { a: SECRET } }])
      expect([one, (await gateway.admin("PUT", "/consumers/ada", consumer(one))).text]).toEqual([
        one,
        expect.stringMatching(/^(?!.*Sesame).*"value":/),
      ]);
    await gateway.admin("PUT", "/routes/last", ROUTE);
    await until(() => gateway.log("admin_write").some(({ path }) => String(path).endsWith("/last")));
    for (const kept of [readFileSync(file(), "utf8"), gateway.errors])
      expect(kept.split("\n").filter((line) => line.includes(SECRET))).toEqual([]);
  });
});

describe("the path of an admin write", () => {
  /** Sends a request line unchanged. @returns the status */
  const sent = (target: string, body = "{}") =>
    new Promise<number>((resolve, reject) => {
      const head = `PUT ${target} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${ProcessGateway.KEY}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
      const socket = connect(gateway.adminPort, "127.0.0.1", () => socket.write(head + body, "latin1"));
      let text = "";
      socket.setEncoding("latin1");
      socket.on("data", (piece) => {
        text += piece;
      });
      socket.on("end", () => resolve(Number(text.slice(9, 12))));
      socket.on("error", reject);
    });

  it("the logged path has a limited length, visible characters, and neither query nor authority", async () => {
    await audited();
    const [SECRET, long] = ["Sesame-7f3a", "x".repeat(3_000)];
    await sent(`/gw/admin/routes/a?api_key=${SECRET}&token=${SECRET}`);
    await sent(`/gw/admin/unknown/b?${SECRET}`);
    await sent(`http://user:${SECRET}@a/gw/admin/routes/c?${SECRET}`);
    await sent(`/gw/admin/routes/${long}${SECRET}`);
    await sent("/gw/admin/routes/%1b%5b2J%E2%80%AEd");
    await sent("/gw/admin/routes/\x9b2Je");
    await gateway.admin("PUT", "/routes/last", ROUTE);
    await until(() => gateway.log("admin_write").some(({ path }) => String(path).endsWith("/last")));
    const paths = gateway.log("admin_write").map(({ path }) => String(path));
    expect(paths).toEqual(
      expect.arrayContaining(["/gw/admin/routes/a", "/gw/admin/unknown/b", "/gw/admin/routes/c"]),
    );
    expect(paths).toContain("/gw/admin/routes/%1b%5b2J%E2%80%AEd");
    for (const kept of [readFileSync(file(), "utf8"), gateway.errors]) {
      expect(kept).not.toContain(SECRET);
      expect(kept).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    for (const { path, reason } of [...records(), ...gateway.log("admin_write")])
      expect([String(path).length <= 257, String(reason ?? "").length <= 1_025]).toEqual([true, true]);
  });
});

describe("a malformed write", () => {
  it("a malformed write leaves none of its content in the log and in the audit file", async () => {
    await audited();
    const SECRET = "Sesame-7f3a";
    const plugins = (settings: unknown) => ({ ...ROUTE, plugins: settings });
    const consumer = (settings: unknown) => ({ username: "ada", plugins: { "key-auth": settings } });
    const writes: [string, string, unknown][] = [
      ["PUT", "/routes/1", plugins({ "key-auth": SECRET })],
      ["PUT", "/routes/1", plugins({ "key-auth": [SECRET] })],
      ["PUT", "/routes/1", plugins(SECRET)],
      ["PUT", "/routes/1", plugins({ [SECRET]: {} })],
      ["PUT", "/routes/1", plugins({ "key-auth": { [SECRET]: 1 } })],
      ["PUT", "/routes/1", plugins({ "proxy-rewrite": { headers: { set: { [`A ${SECRET}`]: 1 } } } })],
      ["PUT", "/routes/1", plugins({ "proxy-rewrite": { uri: SECRET } })],
      ["PUT", "/routes/1", plugins({ "proxy-rewrite": { uri: `/$${SECRET}` } })],
      ["PUT", "/routes/1", plugins({ "proxy-rewrite": { regex_uri: [`(${SECRET}`, "/"] } })],
      ["PUT", "/routes/1", { ...ROUTE, vars: [[SECRET, "==", "1"]] }],
      ["PUT", "/routes/1", { ...ROUTE, vars: [["arg_a", SECRET, "1"]] }],
      ["PUT", "/routes/1", { ...ROUTE, methods: [SECRET] }],
      ["PUT", "/routes/1", { ...ROUTE, upstream: { nodes: { [`a:${SECRET}`]: 1 } } }],
      ["PUT", "/routes/1", { ...ROUTE, upstream: { nodes: { a: 1 }, key: `${SECRET} `, type: "chash" } }],
      ["PUT", "/routes/1", { uri: "/a", upstream_id: SECRET }],
      ["PUT", "/routes/1", `{"uri": "/a", "${SECRET}": 1, "${SECRET}": 2}`],
      ["PUT", "/routes/1", `{"uri": ${SECRET}}`],
      ["PUT", "/routes/1", `"${SECRET}`],
      ["PUT", "/routes/1", SECRET],
      ["PUT", "/routes/1", JSON.stringify(SECRET)],
      ["POST", "/routes", plugins({ "key-auth": SECRET })],
      ["PATCH", "/routes/kept", { plugins: { "key-auth": SECRET } }],
      ["PATCH", "/routes/kept/plugins/key-auth", JSON.stringify(SECRET)],
      ["PATCH", "/routes/kept/plugins", `{"${SECRET}": 1, "${SECRET}": 2}`],
      ["PUT", "/consumers/ada", consumer(SECRET)],
      ["PUT", "/consumers/ada", consumer({ Key: SECRET })],
      ["PUT", "/consumers/ada", consumer({ key: { [SECRET]: SECRET } })],
      ["PUT", "/consumers/ada", { username: SECRET, plugins: {} }],
      ["PUT", "/plugin_metadata/syslog", { log_format: SECRET }],
      ["PUT", "/ssls/1", { sni: "a", cert: SECRET, key: SECRET }],
      ["POST", "/configs/validate", { routes: [plugins({ "key-auth": SECRET })] }],
      ["POST", "/schema/validate/routes", plugins({ "key-auth": SECRET })],
    ];
    await gateway.admin("PUT", "/routes/kept", ROUTE);
    for (const [method, path, body] of writes) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const fields = { "X-API-KEY": ProcessGateway.KEY };
      const { status } = await exchange(gateway.adminPort, method, `/gw/admin${path}`, text, fields);
      expect([`${method} ${path} ${text}`, status]).toEqual([`${method} ${path} ${text}`, 400]);
    }
    await gateway.admin("PUT", "/routes/last", ROUTE);
    await until(() => gateway.log("admin_write").some(({ path }) => String(path).endsWith("/last")));
    for (const kept of [readFileSync(file(), "utf8"), gateway.errors])
      expect(kept.split("\n").filter((line) => line.includes(SECRET))).toEqual([]);
    expect(
      records().find(({ path, status }) => status === 400 && path === "/gw/admin/routes/1"),
    ).toMatchObject({
      reason: "GW2103 at 1:94",
    });
  });
});

describe("the audit file", () => {
  it("the audit file has each authenticated change, rejection and reload, and no secret", async () => {
    await audited();
    const consumer = (key: unknown) => ({ username: "ada", plugins: { "key-auth": { key } } });
    await gateway.admin("PUT", "/consumers/ada", consumer("first-secret-of-ada"));
    await gateway.admin("PUT", "/consumers/ada", consumer("second-secret-of-ada"));
    await gateway.admin("PUT", "/consumers/ada", consumer(["third-secret-of-ada"]));
    await gateway.admin("PUT", "/routes/1?dry_run=true", ROUTE);
    await exchange(gateway.adminPort, "PUT", "/gw/admin/routes/2", "{}", { "X-API-KEY": "wrong" });
    gateway.process.kill("SIGHUP");
    await until(() => records().length === 4);
    const [first, second, third, reload] = records();
    const who = { event: "admin_write", key: "test", kind: "consumers", id: "ada" };
    expect(first).toMatchObject({ ...who, status: 201 });
    expect(second).toMatchObject({ ...who, status: 200, changed: ["plugins.key-auth.key"] });
    expect(third).toMatchObject({ status: 400, reason: expect.any(String) });
    expect(reload).toMatchObject({ event: "reload", ok: true });
    expect(readFileSync(file(), "utf8") + gateway.errors).not.toContain("secret-of-ada");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("the audit file names the resource that a file took over by kind and id", async () => {
    await audited();
    await gateway.admin("PUT", "/routes/moved", ROUTE);
    const configuration = join(gateway.directory, "gateway.json");
    const whole = JSON.parse(readFileSync(configuration, "utf8")) as { routes?: object[] };
    const routes = [...(whole.routes ?? []), { ...ROUTE, id: "moved", uri: "/b" }];
    writeFileSync(configuration, JSON.stringify({ ...whole, routes }));
    expect((await gateway.admin("POST", "/adopt/routes/moved")).status).toBe(200);
    const adopted = records().find(({ path }) => String(path).includes("adopt"));
    expect(adopted).toMatchObject({ kind: "routes", id: "moved", changed: ["uri"], value: null });
  });

  it("the audit file has each change, however its query is encoded, and no dry run", async () => {
    await audited();
    const put = (id: string, query: string) => gateway.admin("PUT", `/routes/${id}${query}`, ROUTE);
    const exists = async (id: string) => (await gateway.admin("GET", `/routes/${id}`)).status === 200;
    expect([(await put("1", "?x=1?dry_run=true")).status, await exists("1")]).toEqual([201, true]);
    expect([(await put("2", "?dry_run=%74rue")).status, await exists("2")]).toEqual([201, false]);
    for (const query of ["dry_run=false&dry_run=true", "dry_run=true&dry_run=false", "x=1&x=2"]) {
      const { status, json } = await put("3", `?${query}`);
      const [name] = query.split("=");
      expect([status, json["error_msg"]]).toEqual([400, `invalid argument ${name}: given more than once`]);
    }
    expect(await exists("3")).toBe(false);
    const number = (await gateway.admin("GET", "/routes/1")).json["modifiedIndex"] as number;
    const revert = await gateway.admin("POST", `/history/${number}/revert?dry_run=false&dry_run=true`);
    expect([revert.status, await exists("1")]).toEqual([400, true]);
    expect(records().map(({ path, status }) => `${path} ${status}`)).toEqual([
      "/gw/admin/routes/1 201",
      "/gw/admin/routes/3 400",
      "/gw/admin/routes/3 400",
      "/gw/admin/routes/3 400",
      `/gw/admin/history/${number}/revert 400`,
    ]);
  });

  it("the audit file has a change that was made without a key where none is required", async () => {
    await audited('"admin_key_required":false,');
    const headers = { "Content-Type": "application/json" };
    const { status } = await exchange(
      ...([gateway.adminPort, "PUT", "/gw/admin/routes/1", JSON.stringify(ROUTE), headers] as const),
    );
    expect(status).toBe(201);
    expect(records()).toMatchObject([{ event: "admin_write", status: 201, kind: "routes", id: "1" }]);
    expect(records()[0]).not.toHaveProperty("key");
  });

  it("the audit file is complete after control was killed, and readable after an unfinished line", async () => {
    await audited();
    await gateway.admin("PUT", "/routes/1", ROUTE);
    const writes = Array.from({ length: 20 }, (_, n) =>
      gateway.admin("PUT", `/routes/${n + 10}`, ROUTE).then(
        ({ status }) => (status === 201 ? [String(n + 10)] : []),
        () => [],
      ),
    );
    await until(() => records().length > 3);
    process.kill(gateway.child("control"), "SIGKILL");
    const acknowledged = (await Promise.all(writes)).flat();
    expect(records().map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    appendFileSync(file(), '{"time":"2026');
    await until(() => gateway.ready().catch(() => false));
    await gateway.admin("DELETE", "/routes/1");
    const lines = readFileSync(file(), "utf8").split("\n");
    expect(JSON.parse(lines.at(-2) ?? "")).toMatchObject({ method: "DELETE", id: "1" });
    expect(lines.at(-3)).toBe('{"time":"2026');
  });
});
