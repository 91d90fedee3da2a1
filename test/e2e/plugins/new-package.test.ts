// Output of `gwc new plugin` in any folder, by a gwc installed from `npm pack`: it compiles, passes, and each
// broken part is named.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../support/cli.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const HELLO = "gwc-plugin-hello";

let site: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  site = temporaryDirectory();
  const pack = ["pack", "--ignore-scripts", "--pack-destination", site.path];
  execFileSync("npm", pack, { cwd: ROOT, stdio: "ignore" });
  const [packed = ""] = readdirSync(site.path);
  execFileSync("tar", ["-xzf", packed], { cwd: site.path });
  mkdirSync(join(site.path, "node_modules"));
  renameSync(join(site.path, "package"), join(site.path, "node_modules/gwc"));
  symlinkSync(join(ROOT, "node_modules"), join(site.path, "node_modules/gwc/node_modules"));
  symlinkSync(join(ROOT, "node_modules/typescript"), join(site.path, "node_modules/typescript"));
});
afterAll(() => site.remove());

function installed(folder: string, ...args: string[]) {
  const command = join(site.path, "node_modules/gwc/.build/bundle/gwc.js");
  const env = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: join(site.path, folder),
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

/** Replaces texts in a copy of the package. @returns failures by check, each as `file:line: message` */
function broken(changes: Record<string, (text: string) => string>): Record<string, string[]> {
  const name = "broken/gwc-plugin-hello";
  const folder = join(site.path, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(site.path, HELLO), folder, { recursive: true });
  for (const [file, change] of Object.entries(changes)) {
    const before = readFileSync(join(folder, file), "utf8");
    const after = change(before);
    expect(after, file).not.toBe(before);
    writeFileSync(join(folder, file), after);
  }
  const { status, stdout, stderr } = installed(name, "test-plugin", "--format", "json");
  expect(stderr).toBe("");
  expect(status).toBe(1);
  const { outcomes } = JSON.parse(stdout) as {
    outcomes: { check: string; failures: { file: string; line?: number; message: string }[] }[];
  };
  return Object.fromEntries(
    outcomes
      .filter(({ failures }) => failures.length > 0)
      .map(({ check, failures }) => [
        check,
        failures.map(
          ({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`,
        ),
      ]),
  );
}

const replace = (from: string, to: string) => (text: string) => text.replace(from, to);
const has = (text: string) => expect.arrayContaining([expect.stringContaining(text)]);

describe("gwc new plugin in an empty folder", () => {
  it("gwc new plugin writes a package that compiles, passes its test and works in a configuration", () => {
    expect(installed(".", "new", "plugin", "hello")).toMatchObject({ status: 0, stderr: "" });
    expect(installed(".", "new", "plugin", "hello")).toMatchObject({
      status: 1,
      stderr: "gwc: nothing was written; gwc-plugin-hello exists and is not empty\n",
    });
    const compiled = spawnSync(join(ROOT, "node_modules/.bin/tsc"), {
      cwd: join(site.path, HELLO),
      encoding: "utf8",
    });
    expect(compiled.stdout).toBe("");
    const tested = installed(HELLO, "test-plugin");
    expect(tested.stderr).toBe("");
    expect(tested.stdout).toBe(`ok   package: plugin hello
ok   schema: 2 examples
ok   cases: 2 cases, 2 exchanges
ok   oracle: 2 of 2 exchanges compared
ok   planned twice: 1 plans
ok   generated modules: 1 module
ok   README: 1 examples
ok   npm pack: 8 files
gwc-plugin-hello 0.1.0 passes
`);
    expect(tested.status).toBe(0);
    const manifest: unknown = JSON.parse(readFileSync(join(site.path, HELLO, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ license: "UNLICENSED" });
    // The package gwc of npm is not this one.
    expect(readFileSync(join(site.path, HELLO, "README.md"), "utf8")).not.toContain("npmjs.com");
    const gateway = `plugins: [./${HELLO}]\nupstreams:\n  - { id: a, nodes: { "127.0.0.1:9": 1 } }\nroutes:\n  - { id: r, uri: /*, upstream_id: a, plugins: { hello: {} } }\n`;
    writeFileSync(join(site.path, "gateway.yaml"), gateway);
    expect(installed(".", "explain-route", "r").stdout).toContain(
      'hello sets the response header X-Hello to "hello"',
    );
  });

  it("gwc test-plugin names each broken part with file and line", () => {
    const found = broken({
      "schema.json": replace('"value": "good day"', '"value": 5'),
      "cases/sets-the-header.yaml": replace("{ X-Hello: good day } }", "{ X-Hello: bad day } }"),
      "cases/refuses-other-texts.yaml": replace("refused:", "refusd:"),
      "dist/oracle.js": replace("data.value]", "data.value.toUpperCase()]"),
      "dist/index.js": replace('header: "X-Hello", value', 'header: "X-Hello", value, at: performance.now()'),
      "headerFilter.hbs": (text) => `${text}x.consumerName = 5;\n`,
      "README.md": replace("{ value: good day }", "{ valeu: good day }"),
      "package.json": replace('"*.hbs",', ""),
    });
    expect(found).toEqual({
      schema: [expect.stringMatching(/^schema\.json:\d+: {"value":5}: \/value must be string$/)],
      cases: has(
        'cases/refuses-other-texts.yaml:5: GW2101: unknown field "refusd" in the case; did you mean "refused"?',
      ),
      oracle: has("cases/sets-the-header.yaml:6: "),
      "planned twice": has("cases/sets-the-header.yaml: the same configuration gave a different plan"),
      "generated modules": has("GW5001: "),
      README: has("README.md:18: GW2"),
      "npm pack": [expect.stringMatching(/^package\.json:\d+: headerFilter\.hbs is not packed/)],
    });
    expect(found["cases"]).toEqual(has("cases/sets-the-header.yaml:7: "));
  });

  it.each([
    [
      "a name outside",
      { "headerFilter.hbs": (text: string) => `${text}process.exit();\n` },
      "generated modules",
      "GW5003: cases/sets-the-header.yaml, routes/r: line",
    ],
    [
      "a schema that is none",
      { "schema.json": replace('"type": "object"', '"type": "objekt"') },
      "package",
      "schema.json: GW7007",
    ],
    ["another interface", { "dist/index.js": replace("abi: [3, 3]", "abi: [4, 5]") }, "package", "GW7004"],
    [
      "an entry that was not built",
      { "package.json": replace("./dist/index.js", "./dist/main.js") },
      "package",
      "build the package: npm run build",
    ],
    [
      "a lack of words",
      { "dist/index.js": replace("view:", "describe: undefined, view:") },
      "words",
      'dist/index.js: GW8001: plugin "hello" has no description in prose',
    ],
    [
      "an oracle that throws",
      { "dist/oracle.js": (text: string) => `throw new Error("no luck");\n${text}` },
      "oracle",
      "no luck",
    ],
    [
      "an oracle that loops",
      { "dist/oracle.js": replace("data.value]", "(() => { for (;;); })()]") },
      "oracle",
      "the oracle did not end within 10 s",
    ],
    [
      "a gwc of its own",
      { "package.json": replace('"peerDependencies"', '"dependencies"') },
      "npm pack",
      "gwc belongs to peerDependencies",
    ],
  ])("gwc test-plugin reports %s", (_, changes, check, message) => {
    expect(broken(changes)[check]).toEqual(has(message));
  });

  it("gwc new plugin takes the gwc for tests from the surrounding project", () => {
    const project = join(site.path, "project");
    mkdirSync(project);
    const gwcOf = (name: string, manifest: object) => {
      writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
      expect(installed("project", "new", "plugin", name)).toMatchObject({ status: 0, stderr: "" });
      const written = JSON.parse(readFileSync(join(project, `gwc-plugin-${name}/package.json`), "utf8"));
      return written.devDependencies.gwc;
    };
    expect(gwcOf("a", { dependencies: { gwc: "file:../gwc-0.2.0.tgz" } })).toBe("file:../../gwc-0.2.0.tgz");
    expect(gwcOf("b", { devDependencies: { gwc: "^0.2.0" } })).toMatch(/^\^\d/);
    // Without one: the version of the running gwc. In a checkout: the checkout itself, which no registry has.
    expect(gwcOf("c", {})).toMatch(/^\^\d/);
    expect(gwcOf("d", { name: "gwc" })).toBe("file:..");
  });

  it("gwc test-plugin reports a folder without a package", () => {
    expect(installed(".", "test-plugin", "node_modules")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: "gwc: node_modules has no package.json; name the folder of a plugin's package\n",
    });
  });
});
