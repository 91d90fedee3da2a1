// Credentials that a plugin of a package declares, in the logs, traces and diagnostics of a gateway of two workers.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { configuration, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { ProcessGateway } from "../process/gateway.js";

const CREDENTIALS = `credentials: { headers: ["X-Tenant-Key"], query: ["Tenant_Key"], cookies: ["tid"] },`;
const HEADER = "key-in-a-header";
const QUERY = "key-in-a-query";
const COOKIE = "key-in-a-cookie";
const SECRETS = [HEADER, QUERY, COOKIE];

const upstream = useUpstream((_request, response) => {
  response.setHeader("Set-Cookie", `tid=${COOKIE}`);
  response.end("ok");
});
const site = useTemporaryDirectory();

let gateway: ProcessGateway;
const log = () => {
  const file = join(gateway.directory, "all.log");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
};
const ask = (path: string) =>
  gateway.get(`${path}?a=b&tenant_key=${QUERY}`, { "x-tenant-key": HEADER, cookie: `tid=${COOKIE}` });

beforeAll(async () => {
  gateway = await ProcessGateway.prepare({});
  writeFiles(
    join(gateway.directory, "tenant"),
    packageFiles("tenant", { "index.js": definition("tenant", CREDENTIALS) }),
  );
  const { nodes } = upstream;
  const logger = (settings: object) => ({
    ...{ path: join(gateway.directory, "all.log"), batch_max_size: 1 },
    ...{ redact: { headers: [], query: [] }, ...settings },
  });
  const format = {
    log_format: { header: "$http_x_tenant_key", query: "$arg_tenant_key", target: "$request_uri" },
  };
  gateway.write({
    plugins: ["./tenant"],
    routes: [
      { id: "guarded", uri: "/guarded", upstream: { nodes }, plugins: { tenant: { value: "v" } } },
      { id: "open", uri: "/open", upstream: { nodes }, plugins: { "file-logger": logger({}) } },
      { id: "format", uri: "/format", upstream: { nodes }, plugins: { "file-logger": logger(format) } },
      {
        ...{ id: "shown", uri: "/shown", upstream: { nodes } },
        plugins: { "file-logger": logger({ redact: { headers: [], query: [], credentials: false } }) },
      },
    ],
  });
  await gateway.open();
});
afterAll(() => gateway.end());

describe("credentials that a plugin of a package declares", () => {
  it("default records of a route without the plugin mask its header, its parameter and cookies", async () => {
    expect((await ask("/open")).status).toBe(200);
    const [line = ""] = await until(() => (log().length > 0 ? log() : undefined));
    for (const secret of SECRETS) expect(line).not.toContain(secret);
    const { request, response } = JSON.parse(line);
    expect(request.headers).toMatchObject({ "x-tenant-key": "***", cookie: "***" });
    expect(request.querystring).toEqual({ a: "b", tenant_key: "***" });
    expect(response.headers).toMatchObject({ "set-cookie": "***" });
  });

  it("formats mask the header and the parameter, and credentials: false shows them", async () => {
    const before = log().length;
    expect((await ask("/format")).status).toBe(200);
    const line = await until(() => log()[before]);
    expect(JSON.parse(line)).toMatchObject({
      ...{ header: "***", query: "***", target: "/format?a=b&tenant_key=***" },
    });
    expect((await ask("/shown")).status).toBe(200);
    const shown = await until(() => log()[before + 1]);
    for (const secret of SECRETS) expect(shown).toContain(secret);
  });

  it("a trace masks them", async () => {
    const { json } = await gateway.admin("POST", "/trace", { match: { route_id: "guarded" } });
    expect((await ask("/guarded")).status).toBe(200);
    const text = await until(async () => {
      const trace = await gateway.admin("GET", `/trace/${json["id"]}`);
      return trace.json["state"] === "done" ? trace.text : undefined;
    });
    expect(text).toContain("tenant_key=***");
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  it("gwc check masks a value that the configuration compares with one of them", () => {
    writeFiles(
      join(site.path, "node_modules/gwc-plugin-tenant"),
      packageFiles("tenant", { "index.js": definition("tenant", CREDENTIALS) }),
    );
    const text = configuration(["gwc-plugin-tenant"], { tenant: { value: "v" } });
    for (const variable of ["http_x_tenant_key", "arg_tenant_key", "cookie_tid"]) {
      const line = `    vars: [[${variable}, "=", "written-out-key"]]`;
      writeFileSync(join(site.path, "gateway.yaml"), text.replace("    uri: /*", `    uri: /*\n${line}`));
      const { status, stderr } = gwc(site.path, ["check"]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(variable)]);
      expect(stderr).not.toContain("written-out-key");
    }
  });

  it("a plan has the copies of credentials in the member of step data that the definition names", () => {
    const rules = definition("rules", "").replaceAll("data: { headers }", "data: { rules: headers }");
    const views = rules.replaceAll("data.headers", "data.rules");
    const copies = (fields: string) => {
      const files = packageFiles("rules", { "index.js": views.replace("\n});", `${fields}\n});`) });
      writeFiles(join(site.path, "node_modules/gwc-plugin-rules"), files);
      const text = configuration(["gwc-plugin-rules"], { rules: { value: "$http_x_key" } });
      writeFileSync(join(site.path, "gateway.yaml"), text);
      const { stdout } = gwc(site.path, ["plan"]);
      return JSON.parse(stdout).routes[0].pipeline.credentials;
    };
    expect(copies("")).toBeUndefined();
    expect(copies('headerActions: "rules",')).toMatchObject({ copies: [["http_x_key", "x-rules"]] });
  });

  it.each(["{ headers: [1] }", '{ headers: ["a b"] }', '{ cookie: ["a"] }', '["a"]', '{ query: [""] }'])(
    "a package that declares credentials as %s is rejected",
    (value) => {
      writeFiles(
        join(site.path, "node_modules/gwc-plugin-wrong"),
        packageFiles("wrong", { "index.js": definition("wrong", `credentials: ${value},`) }),
      );
      writeFileSync(
        join(site.path, "gateway.yaml"),
        configuration(["gwc-plugin-wrong"], { wrong: { value: "v" } }),
      );
      expect(gwc(site.path, ["check"]).stderr).toContain(
        '"credentials" must be lists of names as headers, query and cookies',
      );
    },
  );
});
