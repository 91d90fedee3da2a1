import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { configuration, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

const site = useTemporaryDirectory();

/** Installs a package under its name for the configuration. */
function install(name: string, change: Record<string, string> = {}): void {
  writeFiles(join(site.path, "node_modules", `gwc-plugin-${name}`), packageFiles(name, change));
}

function configure(packages: readonly string[], plugins: Record<string, object>): void {
  writeFileSync(join(site.path, "gateway.yaml"), configuration(packages, plugins));
}

/** Location and code of each diagnostic, and the whole report. */
function check(): { found: unknown[]; report: string } {
  const { stderr } = gwc(site.path, ["check", "--quiet"]);
  const found = Array.from(stderr.matchAll(/^(\S+?) ?(?:error|warning) (\S+?):/gm), ([, at, code]) => [
    at,
    code,
  ]);
  return { found, report: stderr };
}

describe("a configuration with packages of plugins", () => {
  it("all commands use packages from node_modules and from a folder", () => {
    install("hello");
    writeFiles(join(site.path, "conf/plugins/audit"), packageFiles("audit"));
    mkdirSync(join(site.path, "conf"), { recursive: true });
    const text = configuration(["gwc-plugin-hello", "./plugins/audit"], {
      hello: { value: "a" },
      audit: { value: "b $route_id" },
    });
    writeFileSync(join(site.path, "conf/gateway.yaml"), text);
    expect(gwc(site.path, ["check", "--quiet", "conf"])).toMatchObject({ status: 0, stderr: "" });
    const built = gwc(site.path, ["build", "--quiet", "conf", "--out", "dist"]);
    expect(built.stderr).toBe("");
    expect(built.status).toBe(0);
    const module = readFileSync(join(site.path, "dist/routes/r.ts"), "utf8");
    expect(module).toMatch(/X-audit[\s\S]*X-hello/);
    expect(gwc(site.path, ["plan", "conf"]).stdout).toContain('"plugin": "hello"');
    expect(gwc(site.path, ["route", "GET", "/", "-c", "conf"]).stdout).toContain("headerFilter  hello");
    const described = gwc(site.path, ["explain-route", "r", "-c", "conf"]).stdout;
    expect(described).toContain('hello sets the response header X-hello to "a".');
    expect(gwc(site.path, ["schema", "-c", "conf/gateway.yaml"]).stdout).toContain('"plugins.hello"');
  });

  it("a plugin without describe runs, and gwc explain-route warns about the missing words", () => {
    install("hello", { "index.js": definition("hello", "describe: undefined,") });
    configure(["gwc-plugin-hello"], { hello: { value: "a", _meta: { filter: [["arg_a", "==", "b"]] } } });
    expect(check()).toEqual({ found: [], report: "" });
    const { status, stdout, stderr } = gwc(site.path, ["explain-route", "r"]);
    expect(status).toBe(0);
    expect(stdout).toContain(
      'When the response comes back:\n  - hello does something that it brings no words for, if $arg_a is "b".\n',
    );
    expect(stderr).toContain(
      'gateway.yaml:9:15 warning GW8001: plugin "hello" has no description in prose, so the text omits it',
    );
    expect(stderr).toContain("\n1 warning\n");
    const asJson = gwc(site.path, ["explain-route", "r", "--format", "json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ id: "r" });
    expect(asJson.stderr).toContain("GW8001");
  });

  it("settings are checked against the schema of the package", () => {
    install("hello");
    configure(["gwc-plugin-hello"], { hello: { valeu: "a" } });
    expect(check().report).toContain("valeu");
    expect(check().found.length).toBeGreaterThan(0);
  });

  it("a missing package is reported at its line, with a suggestion", () => {
    install("hello");
    configure(["gwc-plugin-helo", "./plugins/audit"], { hello: { value: "a" } });
    const { found, report } = check();
    expect(found).toEqual([
      ["gateway.yaml:2:5", "GW7001"],
      ["gateway.yaml:3:5", "GW7001"],
    ]);
    expect(report).toContain('did you mean "gwc-plugin-hello"?');
  });

  it("a package that is neither a name nor a relative folder is rejected", () => {
    configure(["https://example.com/a", "/etc/passwd", "a/b/c", "..\\\\x"], {});
    const { found, report } = check();
    expect(found).toHaveLength(4);
    expect(report).toContain("the name of a package, or a folder that starts with ./ or ../");
  });

  it("a package that is named twice is rejected, under any name", () => {
    install("hello");
    configure(["gwc-plugin-hello", "./node_modules/gwc-plugin-hello"], { hello: { value: "a" } });
    const { found, report } = check();
    expect(found).toEqual([["gateway.yaml:3:5", "GW7006"]]);
    expect(report).toContain("gateway.yaml:2:5");
  });

  it.each([
    ["no package.json", { "package.json": "{" }, "GW7002", "it has no readable package.json"],
    ["another default export", { "index.js": "export default {}" }, "GW7002", "not made by definePlugin"],
    [
      "a field that is missing",
      { "index.js": definition("hello", "priority: undefined") },
      "GW7002",
      '"priority" must be a whole number',
    ],
    [
      "a field that nobody knows",
      { "index.js": definition("hello", "asyncAcess: true") },
      "GW7002",
      'did you mean "asyncAccess"?',
    ],
    [
      "an entry elsewhere",
      { "package.json": '{"type":"module","main":"../../gateway.yaml"}' },
      "GW7002",
      "outside the package",
    ],
    [
      "no template",
      { "index.js": definition("hello", 'phases: ["access", "headerFilter"]') },
      "GW7002",
      "access.hbs",
    ],
    ["a throw in its import", { "index.js": 'throw new Error("no luck")' }, "GW7003", "no luck"],
    ["a dependency that is not there", { "index.js": 'import "left-pad-2"' }, "GW7003", "left-pad-2"],
    [
      "another interface",
      { "index.js": definition("hello", "abi: [4, 5]") },
      "GW7004",
      'plugin "hello" ("gwc-plugin-hello" 1.2.3) needs interface 4 to 5 of gwc; this version has 3',
    ],
    ["a built-in plugin's name", { "index.js": definition("syslog") }, "GW7005", 'a plugin "syslog"'],
    [
      "a call of gwc's name",
      { "index.js": definition("hello", 'exports: { base64: [] }, runtime: "index.js"') },
      "GW7005",
      'a call "base64"',
    ],
    [
      "a member that reaches out",
      { "index.js": definition("hello", 'exports: { a: ["constructor"] }, runtime: "index.js"') },
      "GW7002",
      '"exports" must be',
    ],
    [
      "one name for two things",
      { "index.js": definition("hello", 'exports: { a: [] }, runtime: "index.js", resourceConstant: "a"') },
      "GW7002",
      '"resourceConstant" and an export are both "a"',
    ],
    [
      "a call called as what it keeps where it does not say",
      { "index.js": definition("hello", 'exports: { resource: [] }, runtime: "index.js"') },
      "GW7002",
      '"resourceConstant" and an export are both "resource"',
    ],
    [
      "a schema that leads out",
      { "schema.json": '{"type":"object","properties":{"a":{"$ref":"../b.json"}}}' },
      "GW7007",
      "#/properties/a/$ref names neither a definition of this schema nor a shared part",
    ],
    [
      "a schema that leads to another plugin",
      { "schema.json": '{"$ref":"gwc:/plugins/syslog.json"}' },
      "GW7007",
      "names neither a definition of this schema nor a shared part",
    ],
    ["a schema that is none", { "schema.json": '{"type":"objekt"}' }, "GW7007", "schema.json"],
    ["a template that decides", { "headerFilter.hbs": "{{{headers}}}" }, "GW7008", "headerFilter.hbs"],
  ])("gwc check names a package with %s, and continues with the others", (_, change, code, words) => {
    install("hello", change);
    install("good");
    configure(["gwc-plugin-hello", "gwc-plugin-good"], { hello: { value: "a" }, good: { value: "b" } });
    const { found, report } = check();
    expect(found).toEqual([["gateway.yaml:2:5", code]]);
    expect(report).toContain(words);
  });

  it.each([
    ["plan", 'plan() { throw new Error("no luck"); }', "fails in plan: Error: no luck"],
    ["plan", "plan() { return 7; }", "it returned no list of steps"],
    [
      "plan",
      'plan: (s, c) => [{ phase: "access", origin: c.origin([]), data: null }]',
      'the phase "access", which it does not declare',
    ],
    [
      "plan",
      'plan: (s, c) => [{ phase: "headerFilter", origin: c.origin([]), data: { a: () => 1 } }]',
      "not plain JSON",
    ],
    ["plan", "plan(s) { s.value.value = 'b'; return []; }", "TypeError"],
    ["plan", 'plan(s, c) { c.report({ code: "GW9999" }); return []; }', "HELLO-001 or the like"],
    ["view", 'view() { throw new Error("no luck"); }', "fails in view: Error: no luck"],
    ["view", "view: () => ({})", "fails in view"],
    ["describe", 'describe() { throw new Error("no luck"); }', "fails in describe: Error: no luck"],
    ["describe", "describe: () => [7]", "it returned no list of sentences"],
  ])("gwc check names a plugin that fails in %s: %s", (_, fields, words) => {
    install("hello", { "index.js": definition("hello", fields) });
    install("good");
    configure(["gwc-plugin-hello", "gwc-plugin-good"], {
      hello: { value: "a" },
      good: { value: "$nothing" },
    });
    const { found, report } = check();
    expect(found).toEqual([
      ["gateway.yaml:10:15", "GW7010"],
      [expect.anything(), "GW4001"],
    ]);
    expect(report).toContain('the plugin "hello" of "gwc-plugin-hello"');
    expect(report).toContain(words);
  });

  it("gwc check prints a plugin's own diagnostic in every format", () => {
    const own = `plan(s, c) {
      c.report(pluginDiagnostic({ code: "HELLO-001", severity: "error", message: "not this", span: s.spans.value(["value"]) }));
      return [];
    }`;
    const text = definition("hello", own).replace("{ definePlugin,", "{ definePlugin, pluginDiagnostic,");
    install("hello", { "index.js": text });
    configure(["gwc-plugin-hello"], { hello: { value: "a" } });
    expect(check().found).toEqual([["gateway.yaml:9:32", "HELLO-001"]]);
    for (const format of ["json", "sarif", "github"])
      expect(gwc(site.path, ["check", "--format", format]).stdout).toContain("HELLO-001");
  });

  it("two packages with the same plugin are rejected", () => {
    install("one", { "index.js": definition("same") });
    install("two", { "index.js": definition("same") });
    configure(["gwc-plugin-one", "gwc-plugin-two"], { same: { value: "a" } });
    expect(check().found).toEqual([["gateway.yaml:3:5", "GW7005"]]);
  });

  it("a package uses the interface of the running gwc, not of another copy", () => {
    install("hello");
    const fake = {
      "package.json": '{"name":"gwc","type":"module","exports":{"./plugin":"./p.js"}}',
      "p.js": "throw 1",
    };
    writeFiles(join(site.path, "node_modules/gwc"), fake);
    configure(["gwc-plugin-hello"], { hello: { value: "a" } });
    expect(gwc(site.path, ["check", "--quiet"])).toMatchObject({ status: 0, stderr: "" });
  });

  it("a plugin that loops is aborted, and other settings are still checked", () => {
    install("hello", { "index.js": definition("hello", "plan() { for (;;); },") });
    install("good");
    configure(["gwc-plugin-hello", "gwc-plugin-good"], {
      hello: { value: "a" },
      good: { value: "$nothing" },
    });
    const { found, report } = check();
    expect(found).toEqual([
      ["gateway.yaml:10:15", "GW7012"],
      [expect.anything(), "GW4001"],
    ]);
    expect(report).toContain('the plugin "hello" of "gwc-plugin-hello" does not finish plan within 10 s');
  });
});
