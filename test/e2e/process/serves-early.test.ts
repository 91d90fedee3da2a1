import { existsSync, renameSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { until } from "../../support/patience.js";
import { readMetrics, total } from "../../support/prometheus.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";
import { changeLog, lastDelta } from "./generation-log.js";
import { renamesBehindRead } from "./renames-behind-read.js";

let upstream: Server;
let gateway: ProcessGateway;
beforeAll(async () => {
  upstream = createServer((request, response) => response.end(request.url));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterAll(() => upstream.close());
afterEach(() => {
  vi.unstubAllEnvs();
  return gateway.end();
});

const upstreamHere = () => ({ nodes: { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 } });
const route = (id: string, plugins = {}) => ({ id, uri: `/${id}`, plugins, upstream: upstreamHere() });
/**
 * Restarts the gateway, with other files if given. @returns true if workers had a generation before the
 * compile
 */
async function servedEarly(resources?: object): Promise<boolean> {
  await gateway.stop();
  if (resources) gateway.write(resources);
  await gateway.open();
  return gateway.log("serves_before_compile").length === 1;
}
const reload = async (resources: object) => {
  const { length } = gateway.log("reloaded");
  gateway.write(resources);
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reloaded").length > length);
};

const restart = async (resources: object) => {
  await gateway.stop();
  gateway.write(resources);
  await gateway.open();
};

/** Ids of routes that respond with 200. */
async function presentOf(ids: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(ids.map(async (id) => (await gateway.get(`/${id}`)).status));
  return ids.filter((_, at) => statuses[at] === 200);
}

/** Starts the gateway. @returns texts of 200 responses to `path` until it was ready */
async function answersAtStart(path: string): Promise<string[]> {
  gateway.launch();
  const texts: string[] = [];
  await until(async () => {
    const answer = await gateway.get(path).catch(() => undefined);
    if (answer?.status === 200) texts.push(answer.text);
    return gateway.log("ready").length > 0;
  });
  return texts;
}

describe("a start with unchanged files", () => {
  it("a start with unchanged files serves the last generation during its only compile, with stored routes", async () => {
    gateway = await ProcessGateway.start({ routes: [route("file")] });
    for (const id of ["a", "b"]) {
      const { id: _, ...body } = route(id);
      expect((await gateway.admin("PUT", `/routes/${id}`, body)).status).toBe(201);
    }
    const generations = async () => (await gateway.workers()).map(({ generation }) => generation);
    const before = await generations();
    expect(await servedEarly()).toBe(true);
    const order = gateway.errors.split("\n").flatMap((line) => {
      const { event = "", stage } = (line.startsWith("{") ? JSON.parse(line) : {}) as Record<string, string>;
      return ["serves_before_compile", "start_stage"].includes(event) ? [stage ?? event] : [];
    });
    expect(order).toEqual(["settings", "store", "serves_before_compile", "compiling", "workers", "services"]);
    expect(await generations()).toEqual(before);
    for (const path of ["/file", "/a", "/b"]) expect((await gateway.get(path)).text).toBe(path);
    const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    expect(total(readMetrics(text), "gw_config_compile_seconds_count", { work: "load" })).toBe(1);
    // The compiler has the same configuration as the workers.
    expect((await gateway.admin("DELETE", "/routes/a")).status).toBe(200);
    expect((await gateway.get("/a")).status).toBe(404);
  });

  it("a start is ready before a large configuration is compiled again and the admin API is there", async () => {
    const regex = (n: number) => ({ "proxy-rewrite": { regex_uri: [`^/r${n}/([a-z]+)/(.*)$`, "/$1"] } });
    const routes = Array.from({ length: 2_000 }, (_, n) => ({
      ...route(`r${n}`, regex(n)),
      uri: `/r${n}/*`,
    }));
    gateway = await ProcessGateway.start({ routes });
    await gateway.stop();
    gateway.launch();
    const early = await until(async () => {
      const answer = await exchange(gateway.statusPort, "GET", "/status/ready").catch(() => undefined);
      return answer?.status === 200 ? answer : undefined;
    });
    const away = { code: "control_missing", stage: "compiling" };
    expect(early.json["warnings"]).toContainEqual(expect.objectContaining(away));
    expect((await gateway.get("/r7/x/y")).text).toBe("/x");
    await until(() => gateway.log("ready").length > 0);
    expect(gateway.log("start_stage").map(({ stage }) => stage)).not.toContain("publishing");
  });
});

describe("a start with changed files compiles before it serves", () => {
  it("a start compiles first if a file has changed, but not after a reload of the same files", async () => {
    gateway = await ProcessGateway.start({ routes: [route("old")] });
    await gateway.stop();
    gateway.write({ routes: [route("new")] });
    expect(await answersAtStart("/old")).toEqual([]);
    expect(gateway.log("serves_before_compile")).toEqual([]);
    await reload({ routes: [route("newer")] });
    expect(await servedEarly()).toBe(true);
    expect((await gateway.get("/newer")).text).toBe("/newer");
    expect(await servedEarly({ routes: [route("new")] })).toBe(false);
  });

  it("a start compiles first if the log of generations lacks the last write", async () => {
    gateway = await ProcessGateway.start({ routes: [route("file")] });
    const { id, ...body } = route("deleted");
    expect((await gateway.admin("PUT", `/routes/${id}`, body)).status).toBe(201);
    expect((await gateway.admin("DELETE", `/routes/${id}`)).status).toBe(200);
    await gateway.stop();
    changeLog(gateway.directory, (lines) => lines.slice(0, lastDelta(lines)));
    expect(await answersAtStart("/deleted")).toEqual([]);
    expect(gateway.log("serves_before_compile")).toEqual([]);
    expect((await gateway.get("/file")).text).toBe("/file");
    expect(await servedEarly()).toBe(true);
  });

  it("a start compiles first if a kill interrupted the record of a reload and the files were restored", async () => {
    const old = { routes: [route("old")] };
    gateway = await ProcessGateway.start(old);
    await reload({ routes: [route("new")] });
    await gateway.stop();
    changeLog(gateway.directory, (lines) => lines.slice(0, lastDelta(lines) + 1));
    gateway.write(old);
    expect(await answersAtStart("/new")).toEqual([]);
    expect(gateway.log("serves_before_compile")).toEqual([]);
    expect((await gateway.get("/old")).text).toBe("/old");
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a reload", () => reload({ routes: [route("first")] })],
    ["a start", () => restart({ routes: [route("first")] })],
  ])(
    "a start compiles first if a file changed after the first read of %s and was restored",
    async (_what, read) => {
      gateway = await ProcessGateway.start({ routes: [route("old")] });
      await gateway.stop();
      vi.stubEnv("NODE_OPTIONS", renamesBehindRead(gateway.directory, "gateway.json"));
      await restart({ routes: [route("old")] });
      gateway.write({ routes: [route("second")] });
      renameSync(join(gateway.directory, "gateway.json"), join(gateway.directory, "next"));
      await read();
      expect(existsSync(join(gateway.directory, "next"))).toBe(false);
      const [compiled = "none"] = await presentOf(["first", "second"]);
      const other = compiled === "first" ? "second" : "first";
      await gateway.stop();
      vi.unstubAllEnvs();
      gateway.write({ routes: [route(other)] });
      expect(await answersAtStart(`/${compiled}`)).toEqual([]);
      expect(gateway.log("serves_before_compile")).toEqual([]);
      expect((await gateway.get(`/${other}`)).text).toBe(`/${other}`);
    },
  );

  it("a start serves early after a refused reload if the files were restored", async () => {
    const old = { routes: [route("old")] };
    gateway = await ProcessGateway.start(old);
    gateway.write({ routes: [{ id: "broken" }] });
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reload_refused").length > 0);
    expect(await servedEarly(old)).toBe(true);
  });

  it("a start compiles first if files contain secrets; secrets of the store do not prevent an early start", async () => {
    const secret = (text: string) => ({
      "http-logger": { uri: "http://127.0.0.1:9/", auth_header: `Basic ${text}` },
    });
    gateway = await ProcessGateway.start({ routes: [route("file", secret("ZmlsZQ=="))] });
    expect(await servedEarly()).toBe(false);
    await reload({ routes: [route("file")] });
    const { id, ...body } = route("written", secret("c3RvcmU="));
    expect((await gateway.admin("PUT", `/routes/${id}`, body)).status).toBe(201);
    expect(await servedEarly()).toBe(true);
    expect((await gateway.get("/written")).text).toBe("/written");
  });
});
