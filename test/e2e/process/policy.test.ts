import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream((_, response) => response.end("hello"));
let gateway: ProcessGateway;

afterEach(() => gateway.end());

const route = (more: object = {}) => ({
  ...{ id: "one", host: "shop.example.com", uri: "/one", upstream: { nodes: upstream.nodes } },
  ...more,
});
const policy = (text: string) => writeFileSync(join(gateway.directory, "policy.yaml"), text);

async function prepared(resources: object, text: string): Promise<void> {
  gateway = await ProcessGateway.prepare(resources);
  policy(text);
}

async function refusedStart(options: { paths?: string[]; policy: string }): Promise<string> {
  gateway.launch(options);
  await until(() => gateway.process.exitCode === 1);
  return gateway.said;
}

async function refusedReload(): Promise<string> {
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reload_refused")[0]);
  return gateway.said;
}

function build(): void {
  const args = ["build", "gateway.json", "--no-type-check"];
  expect(gwc(gateway.directory, args, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(gateway.directory, "gateway.json"));
}

const HOSTS = 'hosts: { allow: ["*.example.com"] }\nupstreams: { allow: [127.0.0.0/8] }\n';

describe("gwc run --policy", () => {
  it("gwc run --policy rejects writes that violate the policy with 400 and takes others", async () => {
    await prepared({ routes: [route()] }, HOSTS);
    await gateway.open({ policy: "policy.yaml" });
    const put = (id: string, more: object) => gateway.admin("PUT", `/routes/${id}`, { ...route(more), id });
    const refused = await put("two", { host: "evil.test" });
    expect(refused.status).toBe(400);
    expect(refused.json["error_msg"]).toContain('the policy does not allow route "two" to serve "evil.test"');
    expect(await put("two", { host: undefined })).toMatchObject({ status: 400 });
    expect(await put("two", { upstream: { nodes: { "169.254.169.254:80": 1 } } })).toMatchObject({
      status: 400,
    });
    expect(await put("two", { uri: "/two" })).toMatchObject({ status: 201 });
  });

  it("gwc run --policy rejects a service that gives its routes other hosts", async () => {
    const service = { id: "all", hosts: ["a.example.com"], upstream: { nodes: upstream.nodes } };
    await prepared({ routes: [route()] }, HOSTS);
    await gateway.open({ policy: "policy.yaml" });
    expect(await gateway.admin("PUT", "/services/all", service)).toMatchObject({ status: 201 });
    const own = { id: "two", uri: "/two", service_id: "all" };
    expect(await gateway.admin("PUT", "/routes/two", own)).toMatchObject({ status: 201 });
    expect(await gateway.admin("PUT", "/services/all", { ...service, hosts: ["evil.test"] })).toMatchObject({
      status: 400,
    });
  });

  it("gwc run --policy refuses a reload of files that violate a changed policy", async () => {
    await prepared({ routes: [route()] }, HOSTS);
    await gateway.open({ policy: "policy.yaml" });
    policy("plugins: { allow: [] }\nhosts: { allow: [other.example.com] }\n");
    expect(await refusedReload()).toContain("GW9003");
    expect((await gateway.get("/one", { Host: "shop.example.com" })).status).toBe(200);
  });

  it("gwc run --policy does not start on files that violate it and binds no forbidden listener", async () => {
    await prepared({ routes: [route({ host: "evil.test" })] }, HOSTS);
    expect(await refusedStart({ policy: "policy.yaml" })).toContain("GW9003");
    policy("listeners: { allow: ['127.0.0.1:1'] }\n");
    expect(await refusedStart({ policy: "policy.yaml" })).toContain("GW9006");
    expect(gateway.output).toBe("");
  });

  it("gwc run --policy reports a forbidden listener also if another file is broken", async () => {
    await prepared({ routes: [route()] }, "listeners: { allow: ['127.0.0.1:1'] }\n");
    await gateway.open();
    await gateway.stop();
    writeFileSync(join(gateway.directory, "routes.yaml"), "routes: [{ id: two,\n");
    const paths = ["gateway.json", "routes.yaml"];
    expect(await refusedStart({ paths, policy: "policy.yaml" })).toContain("GW9006");
    expect(gateway.output).toBe("");
  });

  it("gwc run --policy does not fall back to a generation that another policy checked", async () => {
    await prepared({}, HOSTS);
    const options = { paths: ["gateway.json", "routes.yaml"], policy: "policy.yaml" };
    const routes = join(gateway.directory, "routes.yaml");
    writeFileSync(routes, JSON.stringify({ routes: [route()] }));
    await gateway.open(options);
    await gateway.stop();
    writeFileSync(routes, "routes: [{ id: one,\n");
    policy("hosts: { deny: [shop.example.com] }\n");
    expect(await refusedStart(options)).toContain("another policy, or none, accepted it");
  });

  it("gwc run --policy neither starts nor reloads a build that violates it", async () => {
    await prepared({ routes: [route()] }, HOSTS);
    build();
    await gateway.open({ paths: ["dist"], policy: "policy.yaml" });
    gateway.write({ routes: [route({ upstream: { nodes: { "10.0.0.1:80": 1 } } })] });
    build();
    expect(await refusedReload()).toMatch(/gateway\.json:\d+:\d+.*GW9004/);
    expect((await gateway.get("/one", { Host: "shop.example.com" })).status).toBe(200);
    await gateway.stop();
    expect(await refusedStart({ paths: ["dist"], policy: "policy.yaml" })).toContain("GW9004");
    policy("listeners: { allow: ['127.0.0.1:1'] }\n");
    expect(await refusedStart({ paths: ["dist"], policy: "policy.yaml" })).toContain("GW9006");
  });
});
