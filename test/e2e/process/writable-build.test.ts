import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream((request, response) => response.end(request.url));
let gateway: ProcessGateway;

afterEach(() => gateway.end());

/** Resources of every build here: a service with a plugin, shared resources and a consumer. */
const shared = () => ({
  upstreams: [{ id: "nodes", nodes: upstream.nodes }],
  services: [
    {
      id: "shop",
      upstream_id: "nodes",
      plugins: { "response-rewrite": { headers: { set: { "X-Shop": "yes" } } } },
    },
  ],
  plugin_configs: [{ id: "keyed", plugins: { "key-auth": {} } }],
  consumers: [{ username: "built", plugins: { "key-auth": { key: "${{GW_TEST_KEY}}" } } }],
});
const closed = () => ({ id: "closed", uri: "/closed", upstream_id: "nodes", plugins: { "key-auth": {} } });

function build(resources: object): void {
  gateway.write(resources);
  const args = ["build", "gateway.json", "--no-type-check", "--out", "dist"];
  expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(gateway.directory, "gateway.json"));
}

const open = () => gateway.open({ paths: ["dist"], writable: true });

async function running(): Promise<void> {
  gateway = await ProcessGateway.prepare({});
  build({ ...shared(), routes: [closed()] });
  await open();
}

const put = (path: string, value: object) => gateway.admin("PUT", path, value);

/** Status of a request for `path` with the key of a consumer. */
const statusWith = async (key: string, path: string) =>
  (await exchange(gateway.port, "GET", path, undefined, { apikey: key })).status;

/** Sends SIGHUP; resolves with the log event of its outcome. */
async function reloaded(): Promise<Record<string, unknown> | undefined> {
  const events = () => [...gateway.log("reloaded"), ...gateway.log("reload_refused")];
  const { length } = events();
  gateway.process.kill("SIGHUP");
  await until(() => events().length > length);
  return [...gateway.log("reload_refused"), ...gateway.log("reloaded")].sort((a, b) =>
    String(a["time"]) < String(b["time"]) ? -1 : 1,
  )[length];
}

describe("a stored resource on top of a build", () => {
  it("a stored resource may refer to resources of the build, also after a restart", async () => {
    await running();
    const written = await put("/routes/own", { uri: "/own", service_id: "shop", plugin_config_id: "keyed" });
    expect([written.status, written.json["error_msg"]]).toEqual([201, undefined]);
    const answers = async () => {
      const given = await exchange(gateway.port, "GET", "/own", undefined, { apikey: ProcessGateway.KEY });
      return [(await gateway.get("/own")).status, given.status, given.headers["x-shop"], given.text];
    };
    expect(await answers()).toEqual([401, 200, "yes", "/own"]);
    await gateway.stop();
    await open();
    expect(await answers()).toEqual([401, 200, "yes", "/own"]);
  });

  it("a stored resource with an unknown reference is refused", async () => {
    await running();
    const written = await put("/routes/own", { uri: "/own", service_id: "shopp" });
    expect([written.status, written.json["error_msg"]]).toEqual([400, expect.stringContaining("[shopp]")]);
  });

  it("a stored consumer may use routes of the build until it is deleted", async () => {
    await running();
    expect(await statusWith("key-of-jane", "/closed")).toBe(401);
    const jane = { username: "jane", plugins: { "key-auth": { key: "key-of-jane" } } };
    expect((await put("/consumers/jane", jane)).status).toBe(201);
    expect(await statusWith("key-of-jane", "/closed")).toBe(200);
    expect(await statusWith(ProcessGateway.KEY, "/closed")).toBe(200);
    await gateway.stop();
    await open();
    expect(await statusWith("key-of-jane", "/closed")).toBe(200);
    expect((await gateway.admin("DELETE", "/consumers/jane")).status).toBe(200);
    expect(await statusWith("key-of-jane", "/closed")).toBe(401);
    expect(await statusWith(ProcessGateway.KEY, "/closed")).toBe(200);
  });
});

describe("SIGHUP with a build that has stored resources on top", () => {
  it("a reload applies the new build to the references of stored resources", async () => {
    await running();
    await put("/routes/own", { uri: "/own", service_id: "shop" });
    const services = [{ id: "shop", upstream_id: "nodes", plugins: {} }];
    build({ ...shared(), services, routes: [] });
    expect(await reloaded()).toMatchObject({ event: "reloaded" });
    const answer = await gateway.get("/own");
    expect([answer.status, answer.headers["x-shop"]]).toEqual([200, undefined]);
  });

  it("a reload refuses a build that lacks references of stored resources, and writes continue", async () => {
    await running();
    await put("/routes/own", { uri: "/own", service_id: "shop" });
    build({ ...shared(), services: [], routes: [] });
    const refused = await reloaded();
    expect(refused).toMatchObject({ event: "reload_refused", reason: expect.stringContaining("shop") });
    expect((await gateway.get("/own")).headers["x-shop"]).toBe("yes");
    expect((await put("/routes/more", { uri: "/more", service_id: "shop" })).status).toBe(201);
    expect((await gateway.get("/more")).headers["x-shop"]).toBe("yes");
  });
});

describe("gwc adopt with a gateway that runs a build", () => {
  const adopt = (name: string) =>
    gwc(gateway.directory, ["adopt", name, "--admin", `http://127.0.0.1:${gateway.adminPort}`], {
      GWC_ADMIN_KEY: ProcessGateway.KEY,
    });
  const fromBuild = () => ({ id: "own", uri: "/own", upstream_id: "nodes", plugins: {} });

  it("gwc adopt lets the rebuilt directory take over a stored resource", async () => {
    await running();
    await put("/routes/own", { uri: "/own", service_id: "shop" });
    build({ ...shared(), routes: [closed(), fromBuild()] });
    const refused = await reloaded();
    expect(refused).toMatchObject({ reason: expect.stringContaining("gwc adopt routes/own") });
    expect(adopt("routes/own")).toMatchObject({ status: 0 });
    expect((await gateway.get("/own")).headers["x-shop"]).toBeUndefined();
    expect((await gateway.admin("GET", "/routes/own")).json).toHaveProperty("static");
    await gateway.stop();
    await open();
    expect((await gateway.get("/own")).headers["x-shop"]).toBeUndefined();
    expect((await put("/routes/own", { uri: "/x", service_id: "shop" })).status).toBe(400);
  });

  it("gwc adopt also ends a fallback to the last known good generation", async () => {
    await running();
    await put("/routes/own", { uri: "/own", service_id: "shop" });
    await gateway.stop();
    build({ ...shared(), routes: [closed(), fromBuild()] });
    await open().catch(() => {});
    await until(() => gateway.log("last_known_good").length > 0);
    expect((await gateway.get("/own")).headers["x-shop"]).toBe("yes");
    expect(adopt("routes/own")).toMatchObject({ status: 0 });
    expect((await gateway.get("/own")).headers["x-shop"]).toBeUndefined();
    expect((await exchange(gateway.statusPort, "GET", "/status/ready")).status).toBe(200);
    expect((await put("/routes/more", { uri: "/more", service_id: "shop" })).status).toBe(201);
  });

  it("gwc adopt changes nothing if the build lacks the resource", async () => {
    await running();
    await put("/routes/own", { uri: "/own", service_id: "shop" });
    expect(adopt("routes/own")).toMatchObject({ status: 1, stderr: expect.stringContaining("routes/own") });
    expect((await gateway.get("/own")).headers["x-shop"]).toBe("yes");
    expect((await gateway.admin("DELETE", "/routes/own")).status).toBe(200);
  });
});
