import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { readMetrics } from "../../support/prometheus.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const ROUTES = {
  routes: [{ id: "own", uri: "/*", plugins: { "response-rewrite": { status_code: 200, body: "own" } } }],
};
const KEYED = {
  routes: [
    {
      ...ROUTES.routes[0],
      plugins: { "key-auth": {}, "response-rewrite": { status_code: 200, body: "own" } },
    },
  ],
  consumers: [{ username: "ada", plugins: { "key-auth": { key: "key-of-ada" } } }],
};

const file = (name = "access.log") => join(gateway.directory, name);
const linesIn = (name?: string) =>
  existsSync(file(name)) ? readFileSync(file(name), "latin1").split("\n").slice(0, -1) : [];
const whenLines = (count: number, name?: string) =>
  until(() => (linesIn(name).length >= count ? linesIn(name) : undefined));

/** Sends the text as raw bytes and waits for the response. */
async function raw(text: string): Promise<void> {
  const socket = connect(gateway.port, "127.0.0.1");
  socket.write(Buffer.from(text, "latin1"));
  await once(socket, "data");
  socket.destroy();
}

describe("the access log", () => {
  it("an access log line has nginx's combined form, and no value can forge its fields", async () => {
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "access.log" } });
    await gateway.get("/a?b=1", { "user-agent": 'x" 200 1 "', referer: "back\\slash" });
    const [line] = await whenLines(1);
    expect(line).toMatch(
      /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "GET \/a\?b=1 HTTP\/1\.1" 200 3 "back\\x5Cslash" "x\\x22 200 1 \\x22"$/,
    );
    await raw(`GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: caf\xc3\xa9\ttab\r\n\r\n`);
    expect((await whenLines(2))[1]).toMatch(/ "caf\\xC3\\xA9\\x09tab"$/);
  });

  it("an access log format writes the default of an absent variable and a dollar behind a backslash", async () => {
    const format = "$status ${arg_q ?? no query} ${arg_r??} ${ arg_q } \\$status";
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "access.log", format } });
    await gateway.get("/?q=1");
    await whenLines(1);
    await gateway.get("/");
    expect(await whenLines(2)).toEqual(["200 1 - 1 $status", "200 no query - - $status"]);
  });

  it("an access log in JSON stays parseable for invalid bytes, quotes and control characters", async () => {
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "access.log", format: "json" } });
    await raw(`GET /x?"y HTTP/1.1\r\nHost: a\r\nUser-Agent: "\\caf\xe9\t\r\nReferer: caf\xc3\xa9\r\n\r\n`);
    await gateway.get("/y");
    // Each of the two workers writes its own lines, so their order is not fixed.
    const lines = (await whenLines(2)).map(
      (line) => JSON.parse(Buffer.from(line, "latin1").toString()) as Record<string, unknown>,
    );
    const first = lines.find(({ request_uri }) => request_uri !== "/y");
    const second = lines.find(({ request_uri }) => request_uri === "/y");
    expect(first).toMatchObject({ status: 200, http_user_agent: '"\\café', http_referer: "café" });
    expect(second).toMatchObject({ method: "GET", request_uri: "/y", route_id: "own", http_referer: "" });
    expect(second?.["request_time"]).toEqual(expect.any(Number));
  });

  it("an access log in JSON escapes control, bidirectional and invisible characters", async () => {
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "access.log", format: "json" } });
    const agent = "caf\u00e9\u009b31m\u202ecba\u2028\u200b";
    await raw(`GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: ${Buffer.from(agent).toString("latin1")}\r\n\r\n`);
    const [line = ""] = await whenLines(1);
    const text = Buffer.from(line, "latin1").toString();
    expect(text).toContain("caf\u00e9\\u009b31m\\u202ecba\\u2028\\u200b");
    expect(JSON.parse(text)).toMatchObject({ http_user_agent: agent });
  });

  it("the access log masks credentials, follows its format and takes a new format at a reload", async () => {
    const format = "$status $request_uri $http_apikey $arg_apikey $http_authorization $consumer_name";
    const access_log = { path: "access.log", format };
    gateway = await ProcessGateway.start(KEYED, { access_log });
    await gateway.get("/a?apikey=key-of-ada&z=1", { authorization: "Bearer secret-token" });
    await gateway.get("/a", { apikey: "key-of-ada" });
    expect((await whenLines(2)).sort()).toEqual([
      "200 /a *** - *** ada",
      "200 /a?apikey=***&z=1 - *** *** ada",
    ]);
    gateway.write(KEYED, { access_log: { ...access_log, format: "now $status" } });
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length > 0);
    // Control sends the new format to its workers after the log line, each on its own channel.
    await until(async () => {
      await gateway.get("/a");
      return linesIn().at(-1) === "now 200";
    });
  });

  it("SIGUSR1 opens the access log again, and no line of two workers is torn or lost", async () => {
    const format = "begin $pid $request_uri $http_user_agent end";
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "access.log", format } });
    const agent = "x".repeat(3_000);
    let sent = 0;
    const send = (count: number) =>
      Promise.all(Array.from({ length: count }, () => gateway.get(`/${sent++}`, { "user-agent": agent })));
    await send(300);
    renameSync(file(), file("access.log.1"));
    gateway.process.kill("SIGUSR1");
    // Each worker opens the file when the signal reaches it, so lines of one do not prove that the other has.
    await until(async () => {
      await send(20);
      return new Set(linesIn().map((line) => line.split(" ")[1])).size === 2;
    });
    const before = linesIn().length;
    await send(300);
    await gateway.stop();
    expect(linesIn().length).toBeGreaterThanOrEqual(before + 300);
    const lines = [...linesIn("access.log.1"), ...linesIn()];
    for (const line of lines) expect(line).toMatch(/^begin \d+ \/\d+ x{3000} end$/);
    expect(lines).toHaveLength(sent);
    expect(new Set(lines.map((line) => line.split(" ")[2])).size).toBe(sent);
  });

  it("a full disk or a stopped reader delays no request, and the access log counts dropped lines", async () => {
    gateway = await ProcessGateway.start(ROUTES, { access_log: { path: "/dev/full", format: "$status" } });
    for (let n = 0; n < 20; n++) expect((await gateway.get("/")).status).toBe(200);
    await until(() => gateway.log("access_log_failed").length > 0);
    await until(async () => {
      const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
      const dropped = readMetrics(text).get("gw_access_log_dropped_total");
      return dropped?.samples[0]?.value === 20;
    });
    await gateway.end();

    gateway = await ProcessGateway.prepare(ROUTES);
    execFileSync("mkfifo", [file("pipe")]);
    // Opens both ends and reads nothing.
    const stopped = spawn("sh", ["-c", 'exec 3<>"$1"; exec sleep 600', "sh", file("pipe")]);
    gateway.write(ROUTES, { access_log: { path: "pipe", format: "$status $http_user_agent" } });
    await gateway.open();
    for (let n = 0; n < 200; n++)
      expect((await gateway.get("/", { "user-agent": "y".repeat(2_000) })).status).toBe(200);
    stopped.kill("SIGKILL");
  });

  it("the access log goes to standard output and cuts a value that is too long for one write", async () => {
    const format = "line $http_user_agent end";
    gateway = await ProcessGateway.start(ROUTES, { access_log: { format } });
    await gateway.get("/", { "user-agent": "z".repeat(9_000) });
    await until(() => /^line z{512}\.\.\. end$/m.test(gateway.output));
  });
});
