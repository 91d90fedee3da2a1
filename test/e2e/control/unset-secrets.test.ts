import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../../../runtime/control/embed.js";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

const variable = (name: string) => `\${{${name}}}`;
const consumer = (name: string) => ({
  username: "jack",
  plugins: { "key-auth": { key: variable(name) } },
});
const CONSUMER =
  'the environment variable GWC_UNSET is not set, and "plugins.key-auth.key" of consumer "jack" needs it';

let stop: (() => unknown) | undefined;
afterEach(async () => {
  delete process.env["GWC_SET"];
  await stop?.();
  stop = undefined;
});

describe("a secret whose environment variable is not set", () => {
  it("a write with a secret of an unset variable is rejected, with resource and field in the message", async () => {
    const admin = await AdminGateway.start();
    stop = () => admin.stop();
    const { status, json } = await admin.call("PUT", "/consumers", consumer("GWC_UNSET"));
    expect([status, json["error_msg"]]).toEqual([400, CONSUMER]);
    expect(json["diagnostics"]).toMatchObject([
      { code: "GW3016", span: { file: "PUT /gw/admin/consumers/jack" } },
    ]);
    const logger = { host: "h", port: 1, sasl_config: { user: "u", password: variable("GWC_UNSET") } };
    const route = {
      uri: "/a",
      upstream: UPSTREAM,
      plugins: { "broker-logger": { broker_topic: "t", brokers: [logger] } },
    };
    const refused = await admin.call("PUT", "/routes/a", route);
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      'the environment variable GWC_UNSET is not set, and "plugins.broker-logger.brokers.0.sasl_config.password" of route "a" needs it',
    ]);
    const tried = await admin.call("POST", "/schema/validate/consumers", consumer("GWC_UNSET"));
    expect([tried.status, tried.json["error_msg"]]).toEqual([400, CONSUMER]);
  });

  it.each(["GWC_UNSET:=k", "GWC_SET"])("a secret is accepted with %s", async (name) => {
    process.env["GWC_SET"] = "k";
    const admin = await AdminGateway.start();
    stop = () => admin.stop();
    await admin.call("PUT", "/routes/r", { uri: "/r", upstream: UPSTREAM, plugins: { "key-auth": {} } });
    expect((await admin.call("PUT", "/consumers", consumer(name))).status).toBe(201);
    expect((await exchange(admin.port("data"), "GET", "/r", undefined, { apikey: "k" })).status).toBe(502);
  });

  it("an unset secret of a disabled plugin is accepted", async () => {
    const admin = await AdminGateway.start();
    stop = () => admin.stop();
    const off = { "key-auth": { key: variable("GWC_UNSET"), _meta: { disable: true } } };
    expect((await admin.call("PUT", "/consumers", { username: "jack", plugins: off })).status).toBe(201);
  });

  it("files with an unset secret are rejected at start and at reload", async () => {
    const admin = await AdminGateway.start();
    stop = () => admin.stop();
    const file = (name: string) => `consumers: [${JSON.stringify(consumer(name))}]\n`;
    admin.write(file("GWC_UNSET"));
    expect(await admin.gateway.reload()).toBe(false);
    const { path, remove } = temporaryDirectory();
    writeFileSync(join(path, "gateway.yaml"), file("GWC_UNSET"));
    await expect(startGateway({ directory: path, paths: ["gateway.yaml"], store: false })).rejects.toThrow(
      CONSUMER,
    );
    remove();
  });
});

describe("commands that need no secrets", () => {
  const { path, remove } = temporaryDirectory();
  afterEach(remove);

  it("gwc check and gwc build pass with a note on an unset secret, without which the build does not start", async () => {
    const configuration = {
      gw: { node_listen: [{ ip: "127.0.0.1", port: 0 }] },
      routes: [{ id: "r", uri: "/r", upstream: UPSTREAM, plugins: { "key-auth": {} } }],
      consumers: [consumer("GWC_UNSET")],
    };
    writeFileSync(join(path, "gateway.json"), JSON.stringify(configuration, null, 2));
    const note =
      /gateway\.json:\d+:\d+ note GW3017: the environment variable GWC_UNSET is not set here, and "plugins\.key-auth\.key" of consumer "jack" needs it when the gateway runs/;
    const checked = gwc(path, ["check", "--strict", "gateway.json"]);
    expect([checked.status, checked.stderr]).toEqual([0, expect.stringMatching(note)]);
    expect(gwc(path, ["check", "--format", "github", "gateway.json"]).stdout).toMatch(
      /^::notice .*title=GW3017::/,
    );
    const told = gwc(path, ["check", "--format", "json", "gateway.json"]).stdout;
    expect((JSON.parse(told) as { diagnostics: object[] }).diagnostics).toMatchObject([
      { code: "GW3017", severity: "note" },
    ]);
    const silent = gwc(path, ["check", "--quiet", "--strict", "gateway.json"], { GWC_UNSET: "k" });
    expect([silent.status, silent.stderr]).toEqual([0, ""]);
    const built = gwc(path, ["build", "--out", "dist", "gateway.json"]);
    expect([built.status, built.stderr]).toEqual([0, expect.stringMatching(note)]);
    await expect(startGateway({ directory: path, paths: ["dist"], store: false })).rejects.toThrow(CONSUMER);
  });
});
