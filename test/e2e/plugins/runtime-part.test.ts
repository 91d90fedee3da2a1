import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { COUNTING, configuration, packageFiles, writeFiles } from "../../support/plugin-package.js";

const site = useTemporaryDirectory();
let gateway: Gateway | undefined;
const path = (...names: string[]) => join(site.path, ...names);

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

function install(change: Record<string, string> = {}): void {
  writeFiles(path("node_modules/gwc-plugin-counting"), packageFiles("counting", { ...COUNTING, ...change }));
  const text = configuration(["gwc-plugin-counting"], {
    counting: { value: "n" },
    "response-rewrite": { body: "hello" },
  });
  writeFileSync(path("gateway.yaml"), text);
}

const built = () => gwc(site.path, ["build", "--quiet", "--out", "dist"]);
const bundleIn = (folder: string) => readdirSync(folder).find((name) => name.endsWith(".mjs")) ?? "";

describe("runtime part of a package's plugin", () => {
  it("a runtime part becomes one hashed file of a build, with licences, independent of the package's folder", () => {
    install();
    expect(built()).toMatchObject({ stderr: "", status: 0 });
    const file = bundleIn(path("dist/plugins"));
    expect(file).toMatch(/^counting-[0-9a-f]{12}\.mjs$/);
    const manifest = JSON.parse(readFileSync(path("dist/manifest.json"), "utf8"));
    expect(manifest.plugins).toEqual([
      {
        name: "counting",
        version: "2.0.0",
        abi: [3, 3],
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        exports: ["counted"],
        file: `plugins/${file}`,
      },
    ]);
    const licenses = readFileSync(path("dist/plugins", file.replace(".mjs", ".licenses.txt")), "utf8");
    expect(licenses).toMatch(/^gwc-plugin-counting 2\.0\.0: MIT\n/);
    expect(licenses).toContain("label 1.0.0: ISC\n\nCopyright of label");
    const code = readFileSync(path("dist/plugins", file), "utf8");
    expect(code).not.toContain(site.path);

    // The dependency beside the package instead of inside it.
    renameSync(path("node_modules/gwc-plugin-counting/node_modules/label"), path("node_modules/label"));
    rmSync(path("node_modules/gwc-plugin-counting/node_modules"), { recursive: true });
    expect(built().status).toBe(0);
    expect(bundleIn(path("dist/plugins"))).toBe(file);
    expect(readFileSync(path("dist/plugins", file), "utf8")).toBe(code);
  });

  it.each([
    [
      "a native addon",
      { "runtime/index.js": 'import "./a.node"; export const runtime = {};' },
      "native addon",
    ],
    [
      "a computed import",
      { "runtime/index.js": "export const runtime = { a: (x) => import(x) };" },
      "an import is computed: import(x)",
    ],
    [
      "a computed require",
      { "node_modules/label/index.js": "exports.label = (a) => require(a);" },
      "it loads a module that is not in the bundle",
    ],
    [
      "a file beside it",
      { "runtime/index.js": 'export const runtime = new URL("./a.txt", import.meta.url);' },
      "it reads a file that is not in the bundle",
    ],
    [
      "an import of gwc",
      { "runtime/index.js": 'import "gwc/plugin"; export const runtime = {};' },
      'of gwc, runtime code may import only "gwc/logger/runtime", and types',
    ],
    [
      "a dependency that is not there",
      { "runtime/index.js": 'import "not-there"; export const runtime = {};' },
      "not-there",
    ],
    ["a throw", { "runtime/index.js": 'throw new Error("no luck");' }, "no luck"],
    [
      "no exports",
      { "runtime/index.js": "export const runtime = { exports: {} };" },
      'whose exports have "counted"',
    ],
  ])("a runtime part with %s is rejected", (_, change: Record<string, string>, words) => {
    install(change);
    const { status, stderr } = gwc(site.path, ["check"]);
    expect(stderr).toContain("gateway.yaml:2:5 error GW7009");
    expect(stderr).toContain(words);
    expect(status).toBe(1);
  });

  it("gwc route uses a runtime part", () => {
    install();
    const text = readFileSync(path("gateway.yaml"), "utf8");
    writeFileSync(
      path("gateway.yaml"),
      text.replace("    uri: /*", '    uri: /*\n    vars: [[arg_a, "==", "1"]]'),
    );
    expect(gwc(site.path, ["route", "GET", "/?a=1"])).toMatchObject({ stderr: "", status: 0 });
  });

  it("a runtime part without types is rejected, and modules that do not fit its types are reported", () => {
    install();
    rmSync(path("node_modules/gwc-plugin-counting/runtime/index.d.ts"));
    expect(gwc(site.path, ["check"]).stderr).toContain("index.d.ts does not exist");
    install({ "runtime/index.d.ts": "export function counted(name: number): { next(): string };\n" });
    expect(built().stderr).toContain("not assignable to parameter of type 'number'");
  });
});

describe("a gateway with a plugin of a package", () => {
  const settings = {
    data: [{ host: "127.0.0.1", port: 0, setting: "gw.listen" }],
    admin: { host: "127.0.0.1", port: 0, setting: "admin" },
    status: { host: "127.0.0.1", port: 0, setting: "status" },
    metrics: null,
  };
  const answer = async () => {
    const { headers } = await fetch(`http://127.0.0.1:${gateway?.addresses.data[0]?.port}/`);
    return headers.get("x-count");
  };

  it("a gateway serves the runtime part from the configuration, and from the build without the package", async () => {
    install();
    gateway = await startGateway({ paths: ["gateway.yaml"], directory: site.path, store: false, settings });
    expect([await answer(), await answer()]).toEqual(["n-1", "n-2"]);
    await gateway.close();
    expect(built().status).toBe(0);
    rmSync(path("node_modules"), { recursive: true });
    rmSync(path("gateway.yaml"));
    gateway = await startGateway({ paths: ["dist"], directory: site.path, store: false, settings });
    expect([await answer(), await answer()]).toEqual(["n-1", "n-2"]);
  });

  it("gwc run --writable rejects a build with plugins of packages", () => {
    install();
    expect(built().status).toBe(0);
    const { status, stderr } = gwc(site.path, ["run", "dist", "--writable"]);
    expect(status).toBe(1);
    expect(stderr).toContain(
      "this build has plugins of packages (counting 2.0.0), which the admin API cannot compile with: " +
        "run it without --writable, or run the configuration files",
    );
  });

  it("gwc run rejects a build with a changed runtime part", async () => {
    install();
    expect(built().status).toBe(0);
    appendFileSync(path("dist/plugins", bundleIn(path("dist/plugins"))), "\n// more\n");
    const { status, stderr } = gwc(site.path, ["run", "dist"]);
    expect(status).toBe(1);
    expect(stderr).toContain("GW6105");
    expect(stderr).toContain("plugins/counting-");
  });
});
