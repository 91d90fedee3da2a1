import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { COUNTING, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { RawClient } from "../../support/raw-client.js";
import { RawUpstream } from "../../support/raw-upstream.js";

const site = useTemporaryDirectory();
const path = (...names: string[]) => join(site.path, ...names);
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const settings = {
  data: [{ host: "127.0.0.1", port: 0, setting: "gw.listen" }],
  admin: { host: "127.0.0.1", port: 0, setting: "admin" },
  status: { host: "127.0.0.1", port: 0, setting: "status" },
  metrics: null,
};

let gateway: Gateway | undefined;
let upstream: RawUpstream;

beforeEach(async () => {
  upstream = await new RawUpstream(() => ({ writes: [OK] })).start();
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await upstream.stop();
});

/** Fields of a definition whose rewrite phase sends a header to the upstream. */
const sends = (header: string) => `
  phases: ["rewrite"], reservedHeaders: ["${header}"],
  plan: (_, context) => [{ phase: "rewrite", origin: context.origin([]), data: null }],
  describe: () => ["sends ${header}"],
  view: (_, printer) => ({ header: printer.literal("${header}") }),`;

/** Installs packages without runtime code that send a header, and a route with and one without them. */
function install(plugins: Record<string, string>): void {
  for (const [name, header] of Object.entries(plugins)) {
    const files = {
      "index.js": definition(name, sends(header)),
      "rewrite.hbs": 'x.upstream.headers.set({{expr header}}, "own");\n',
    };
    writeFiles(path("node_modules", `gwc-plugin-${name}`), packageFiles(name, files));
  }
  configure(Object.keys(plugins));
}

function configure(names: string[]): void {
  const plugins = Object.fromEntries(names.map((name) => [name, { value: "v" }]));
  writeFileSync(
    path("gateway.yaml"),
    `plugins: [${names.map((name) => `gwc-plugin-${name}`).join(", ")}]
upstreams:
  - { id: main, nodes: { "127.0.0.1:${upstream.port}": 1 } }
routes:
  - { id: with, uri: /with, upstream_id: main, plugins: ${JSON.stringify(plugins)} }
  - { id: without, uri: /without, upstream_id: main }
`,
  );
}

const start = async (from: string) => {
  gateway = await startGateway({ paths: [from], directory: site.path, store: false, settings });
};

/** Headers and trailers of these names, in any spelling that CGI does not distinguish, at the upstream. */
async function seen(target: string, name: string): Promise<string[]> {
  const forged = [name, name.replaceAll("-", "_"), name.toUpperCase(), name.replace("-", ".")];
  const lines = forged.map((each) => `${each}: forged\r\n`).join("");
  const head = `POST ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: ${name}, keep-alive\r\nX-Other: 1\r\n`;
  const client = await RawClient.open(gateway?.addresses.data[0]?.port ?? 0);
  await client.send(`${head}${lines}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${lines}\r\n`);
  expect((await client.response("POST")).status).toBe(200);
  const [request] = upstream.requests.splice(0);
  const all = [...(request?.headers ?? []), ...(request?.trailers ?? [])];
  expect(all).toContainEqual(["X-Other", "1"]);
  const cgi = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, "_");
  return all.filter(([other]) => cgi(other) === cgi(name)).map(([, value]) => value);
}

describe("reserved headers of a plugin of a package", () => {
  it("an upstream sees only the gateway's value of a reserved header and none of a client's aliases", async () => {
    install({ tenant: "X-Tenant-Id" });
    await start("gateway.yaml");
    expect(await seen("/with", "X-Tenant-Id")).toEqual(["own"]);
    expect(await seen("/without", "X-Tenant-Id")).toEqual([]);
  });

  it("a build without the package reserves the headers of a plugin without runtime code", async () => {
    install({ staff: "X-Staff" });
    expect(gwc(site.path, ["build", "--quiet", "--out", "dist"])).toMatchObject({ stderr: "", status: 0 });
    rmSync(path("node_modules"), { recursive: true });
    rmSync(path("gateway.yaml"));
    await start("dist");
    expect(await seen("/with", "X-Staff")).toEqual(["own"]);
    expect(await seen("/without", "X-Staff")).toEqual([]);
  });

  it("a build reserves the headers of a plugin with runtime code, and no other build changes", async () => {
    const built = (change: Record<string, string> = {}) => {
      writeFiles(
        path("node_modules/gwc-plugin-counting"),
        packageFiles("counting", { ...COUNTING, ...change }),
      );
      configure(["counting"]);
      expect(gwc(site.path, ["build", "--quiet", "--out", "dist"])).toMatchObject({ stderr: "", status: 0 });
      const { plugins } = JSON.parse(readFileSync(path("dist/manifest.json"), "utf8"));
      return readFileSync(path("dist", plugins[0].file), "utf8");
    };
    const plain = built();
    expect(plain).not.toContain("gwcReservedHeaders");
    const fields = `reservedHeaders: ["X-Count-Of-All"],\n});`;
    const declaring = built({ "index.js": (COUNTING["index.js"] ?? "").replace(/\}\);\n$/, `${fields}\n`) });
    expect(declaring).toBe(`${plain}\nexport const gwcReservedHeaders = ["x-count-of-all"];\n`);
    await start("dist");
    expect(await seen("/without", "X-Count-Of-All")).toEqual([]);
  });

  it("two plugins may declare the same header, also one that the gateway reserves", async () => {
    install({ one: "X-Shared-Id", two: "x-shared-id", three: "X-Consumer-Username" });
    await start("gateway.yaml");
    expect(await seen("/with", "X-Shared-Id")).toEqual(["own"]);
    expect(await seen("/with", "X-Consumer-Username")).toEqual(["own"]);
    expect(await seen("/without", "X-Shared-Id")).toEqual([]);
  });

  it("gwc check rejects a package that reserves a header of the framing", () => {
    install({ wrong: "Content-Length" });
    const { status, stderr } = gwc(site.path, ["check"]);
    expect(stderr).toContain(
      'GW7002: "gwc-plugin-wrong" is not a plugin: the header "Content-Length" cannot be reserved: the gateway reads it from clients',
    );
    expect(status).toBe(1);
  });

  it("gwc check warns of a variable of a reserved header, which never has a value", () => {
    install({ tier: "X-User-Tier" });
    const text = readFileSync(path("gateway.yaml"), "utf8");
    writeFileSync(
      path("gateway.yaml"),
      text.replace("uri: /without", 'uri: /without, vars: [[http_x_user_tier, "==", "1"]]'),
    );
    expect(gwc(site.path, ["check"]).stderr).toContain("GW4418");
  });
});
