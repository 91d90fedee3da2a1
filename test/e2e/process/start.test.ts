import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { childrenOf, ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const ROUTES = {
  routes: [{ id: "own", uri: "/own", plugins: { "response-rewrite": { status_code: 200, body: "own" } } }],
};

/** Rewrites the configuration file as JSON. */
function edit(change: (configuration: Record<string, Record<string, unknown>>) => void): void {
  const file = join(gateway.directory, "gateway.json");
  const configuration = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
  change(configuration);
  writeFileSync(file, JSON.stringify(configuration));
}

async function failedStart(): Promise<string> {
  gateway.launch();
  const [code] = await once(gateway.process, "exit");
  expect(code).toBe(1);
  return gateway.said;
}

describe("a gateway that requires no admin key", () => {
  it("a gateway that requires no admin key warns at its start", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    edit(({ deployment = {} }) => Object.assign(deployment["admin"] ?? {}, { admin_key_required: false }));
    await gateway.open();
    expect(gateway.errors).toMatch(/"event":"admin_without_key","reason":"admin_key_required is false: /);
  });
});

describe("a gateway without an admin_key", () => {
  it("a gateway without admin_key generates one in a file with mode 600 and keeps it out of all output", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    edit(({ deployment = {} }) => delete (deployment["admin"] as Record<string, unknown>)["admin_key"]);
    await gateway.open();
    const file = join(gateway.directory, "store", "admin.key");
    const key = readFileSync(file, "utf8").trim();
    expect(key).toMatch(/^adm_[\w-]{32}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(gateway.output).toContain(file);
    const read = (presented: string) =>
      exchange(gateway.adminPort, "GET", "/gw/admin/routes", undefined, { "X-API-KEY": presented });
    expect((await read(key)).status).toBe(200);
    expect((await read("admin")).status).toBe(401);
    await gateway.stop();
    const shown = gateway.output + gateway.errors;
    await gateway.open();
    expect((await read(key)).status).toBe(200);
    expect(shown + gateway.output + gateway.errors).not.toContain(key);
  });
});

describe("the log", () => {
  it("the log consists of JSON lines without keys", async () => {
    gateway = await ProcessGateway.start(ROUTES);
    await gateway.admin("PUT", "/routes/a", ROUTES.routes[0]);
    await exchange(gateway.adminPort, "PUT", "/gw/admin/routes/a?api_key=in-the-query", "{}", {
      "X-API-KEY": "wrong-key",
    });
    await until(() => gateway.log("admin_write").length === 2);
    for (const line of gateway.errors.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("event");
    expect(gateway.errors).not.toMatch(new RegExp(`${ProcessGateway.KEY}|wrong-key|in-the-query`));
  });
});

describe("workers: 0", () => {
  it("a gateway with workers: 0 serves, reloads and stops in one process", async () => {
    gateway = await ProcessGateway.prepare(ROUTES, { workers: 0 });
    await gateway.open();
    expect(childrenOf(gateway.process.pid ?? 0)).toEqual([]);
    expect((await gateway.get("/own")).text).toBe("own");
    expect(
      (await gateway.admin("PUT", "/routes/b", { ...ROUTES.routes[0], id: "b", uri: "/b" })).status,
    ).toBe(201);
    expect((await gateway.get("/b")).text).toBe("own");
    edit((configuration) => {
      const [route] = configuration["routes"] as unknown as Record<string, unknown>[];
      if (route) route["uri"] = "/moved";
    });
    gateway.process.kill("SIGHUP");
    await until(async () => (await gateway.get("/moved")).status === 200);
    expect(await gateway.stop()).toBe(0);
  });
});

describe("a refused start", () => {
  it.each([
    { workers: 1, name: "adminPort", setting: "deployment.admin.admin_listen" },
    { workers: 0, name: "adminPort", setting: "deployment.admin.admin_listen" },
    { workers: 0, name: "port", setting: "gw.node_listen" },
  ] as const)(
    "a port in use is reported with its setting: $setting with workers: $workers",
    async ({ workers, name, setting }) => {
      gateway = await ProcessGateway.prepare(ROUTES, { workers });
      const port = gateway[name];
      const taken = createServer().listen(port, "127.0.0.1");
      await once(taken, "listening");
      const errors = await failedStart();
      taken.close();
      expect(errors).toMatch(
        new RegExp(`^port ${port} is already in use by .+: choose another ${setting}$`, "m"),
      );
      expect(errors).not.toMatch(/^ {4}at /m);
    },
  );

  it("a start with invalid settings prints their diagnostics", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    edit(({ gw }) => Object.assign(gw ?? {}, { workers: "many" }));
    expect(await failedStart()).toMatch(/^gateway\.json:1:\d+ error GW2103: .*workers/m);
  });

  it("a start names the unset variable of an admin key", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    edit(({ deployment = {} }) => {
      const admin = deployment["admin"] as Record<string, unknown>;
      admin["admin_key"] = [{ name: "a", key: "${{GW_NOT_SET_ANYWHERE}}" }];
    });
    expect(await failedStart()).toMatch(/GW_NOT_SET_ANYWHERE/);
  });

  it("a start names the setting of an address that is not of this machine", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    edit(({ gw }) => Object.assign(gw ?? {}, { node_listen: [{ ip: "192.0.2.1", port: 19_999 }] }));
    expect(await failedStart()).toMatch(
      /192\.0\.2\.1 is not an address of this machine: choose another gw\.node_listen/,
    );
  });
});
