// Messages of `gwc test-plugin` about mistakes of authors: the location, the mistake and the remedy.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import {
  COUNTING,
  configuration,
  definition,
  packageFiles,
  writeFiles,
} from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  site = temporaryDirectory();
});
afterEach(() => site.remove());

const STEP = (phase: string) => `phases: ["${phase}"],
  plan: (_, context) => [{ phase: "${phase}", origin: context.origin([]), data: null }],
  describe: () => ["does something"],`;
const CASE = (url = "") => `because: it does
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { hello: { value: "a${url}" } } }
exchanges:
  - expect: { response: { status: 200 } }
`;

/** Output for a plugin with this definition and these files. */
function tested(fields: string, change: Record<string, string>): string {
  const files = { "index.js": definition("hello", fields), "cases/a-case.yaml": CASE(), ...change };
  writeFiles(site.path, packageFiles("hello", files));
  return gwc(site.path, ["test-plugin"]).stdout;
}

describe("a template", () => {
  it("gwc test-plugin reports a template that awaits without asyncAccess", () => {
    const view = `${STEP("access")} view: () => ({}),`;
    expect(tested(view, { "access.hbs": "\nawait x.something();\n" })).toContain(
      'access.hbs: GW7008: access.hbs of "./',
    );
    expect(tested(view, {})).toContain(
      'line 2: it awaits, and the definition does not set "asyncAccess: true"',
    );
  });

  it("gwc test-plugin reports a template that awaits in a phase other than access", () => {
    const view = `${STEP("rewrite")} asyncAccess: true, view: () => ({}),`;
    expect(tested(view, { "rewrite.hbs": "await x.something();\n" })).toContain(
      'line 1: it awaits, which only the access phase may do, with "asyncAccess: true"',
    );
  });

  it.each([
    ["{{lit naem}}", 'the view has no field "naem"; did you mean "name"?'],
    ["{{#if naem}}x.respond(200);{{/if}}", 'the view has no field "naem"; did you mean "name"?'],
    ["{{#each items}}{{lit vlaue}}{{/each}}", 'the view has no field "vlaue"; did you mean "value"?'],
    ["{{#each items}}{{lit ../naem}}{{/each}}", 'the view has no field "naem"; did you mean "name"?'],
    ["{{lit other}}", 'the view has no field "other"; it has items, name'],
  ])("gwc test-plugin suggests a field for the wrong name in %s", (text, message) => {
    const view = `${STEP("rewrite")} view: () => ({ items: [{ value: "a" }], name: "b" }),`;
    const printed = tested(view, { "rewrite.hbs": `// a line\n${text}\n` });
    expect(printed).toContain(`Error: rewrite.hbs:2: ${message}`);
  });

  it("gwc test-plugin reports a template that prints without a printer", () => {
    const view = `${STEP("rewrite")} view: () => ({ name: "a" }),`;
    expect(tested(view, { "rewrite.hbs": "\n{{name}}\n" })).toContain(
      "line 2: {{name}} prints without a printer: {{lit name}} or {{expr name}}",
    );
  });

  it("gwc test-plugin reports a template with a forbidden block", () => {
    const view = `${STEP("rewrite")} view: () => ({ name: "a" }),`;
    expect(tested(view, { "rewrite.hbs": "{{#unless name}}x.respond(200);{{/unless}}\n" })).toContain(
      "line 1: {{#unless}} is not allowed: blocks are {{#if}}, {{#each}}",
    );
  });

  it("gwc test-plugin reports a text that is no byte string", () => {
    const view = `${STEP("rewrite")} view: (_, printer) => ({ refusal: printer.bytes("5 €", "refusal") }),`;
    expect(tested(view, { "rewrite.hbs": 'x.respond(503, {{expr refusal}}, "text/plain");\n' })).toContain(
      '"5 €" is no byte string: byteString(text) makes one',
    );
  });

  it("gwc test-plugin reports a template that sets headers of the received request", () => {
    const view = `${STEP("rewrite")} view: () => ({}),`;
    expect(tested(view, { "rewrite.hbs": '\nx.request.headers.set("a", "b");\n' })).toMatch(
      /rewrite\.hbs:2: GW5003: .* member "set" writes headers that are only read: what goes upstream is x\.upstream\.headers/,
    );
    expect(
      tested(view, { "rewrite.hbs": 'x.upstream.headers.set("a", x.request.headers.get("b") ?? "c");\n' }),
    ).not.toContain("FAIL generated modules");
  });

  it("gwc test-plugin reports a template that calls an unlisted member", () => {
    const fields = `${STEP("rewrite")} exports: { counted: ["next"] }, runtime: "runtime/index.js",
      view: (_, printer) => ({ count: printer.constant("count", printer.code\`\${printer.imported("counted")}(\${printer.literal("n")})\`) }),`;
    const { "runtime/index.js": _, "index.js": __, "package.json": ___, ...types } = COUNTING;
    const printed = tested(fields, {
      ...types,
      "runtime/index.js":
        "export function counted() { return { next: () => 1, nxet: () => 2 }; }\nexport const runtime = { exports: { counted } };\n",
      "rewrite.hbs": "\nx.method;\n{{expr count}}.nxet();\n",
    });
    expect(printed).toContain("FAIL generated modules");
    expect(printed).toMatch(
      /rewrite\.hbs:3: GW5003: .* member "nxet" of what counted\(\) gives is not listed in "exports"; did you mean "next"\?/,
    );
  });
});

describe("a case", () => {
  const sound = `${STEP("rewrite")} view: () => ({}),`;
  const files = { "rewrite.hbs": "x.request.headers;\n" };

  it.each([["a-case.yml"], ["a case.yaml"], ["A-Case.yaml"], ["case.json"]])(
    "gwc test-plugin reports the case file %s with a wrong name",
    (name) => {
      expect(tested(sound, { ...files, [`cases/${name}`]: CASE() })).toContain(
        `cases/${name}: not a case: name it like "words-with-hyphens.yaml"`,
      );
    },
  );

  it("gwc test-plugin reports a case with a placeholder for an unknown service", () => {
    const services = "services: { users: { /: { body: b } } }\n";
    expect(tested(sound, { ...files, "cases/a-case.yaml": services + CASE("@usres@") })).toContain(
      'cases/a-case.yaml:5: unknown service "@usres@"; did you mean "@users@"?',
    );
    expect(tested(sound, { ...files, "cases/a-case.yaml": CASE("@users@") })).toContain(
      'cases/a-case.yaml:4: unknown service "@users@"; "services" does not contain it',
    );
  });
});

describe("output of gwc test-plugin", () => {
  it("the output of gwc test-plugin begins with the cause, and names it once", () => {
    const fails = `${STEP("rewrite")} view: () => { throw new Error("no luck"); },`;
    const printed = tested(fails, {
      "rewrite.hbs": "x.request.headers;\n",
      "cases/b-case.yaml": CASE(),
      "README.md":
        "```yaml\nupstreams: [{ id: main, nodes: { 'a:1': 1 } }]\nroutes: [{ id: r, uri: /*, upstream_id: main, plugins: { hello: { value: a } } }]\n```\n",
    });
    const lines = printed.split("\n");
    expect(lines[0]).toMatch(/^FAIL cases/);
    expect(lines[1]).toContain("fails in view: Error: no luck");
    expect(printed.match(/no luck/g)).toHaveLength(1);
    expect(printed).toMatch(/cases\/b-case\.yaml:\d+: same as/);
    expect(printed.indexOf("ok  ")).toBeGreaterThan(printed.lastIndexOf("FAIL"));
  });
});

describe("mistakes in a definition", () => {
  it("gwc test-plugin reports a plugin with two resources", () => {
    const fields = `phases: ["rewrite"],
      plan(_, context) { context.resource({ key: "a" }); context.resource({ key: "b" }); return [{ phase: "rewrite", origin: context.origin([]), data: null }]; },
      describe: () => ["does something"], view: () => ({}),`;
    expect(tested(fields, { "rewrite.hbs": "x.respond(200);\n" })).toContain(
      "context.resource is called twice; a plugin keeps one",
    );
  });

  it("gwc new plugin rejects the name of a built-in plugin", () => {
    const { status, stderr } = gwc(site.path, ["new", "plugin", "key-auth"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'gwc: gwc has a built-in plugin "key-auth"; choose another name\n',
    });
  });
});

describe("header name from a setting", () => {
  it("gwc check marks a header name from a setting at the setting", () => {
    const files = packageFiles("hello", {
      "index.js": definition("hello").replace('name: "X-hello"', "name: value.value"),
    });
    writeFiles(site.path, {
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`hello/${path}`, text])),
      "gateway.yaml": configuration(["./hello"], { hello: { value: "Connection" } }),
    });
    const line = '    plugins: {"hello":{"value":"Connection"}}';
    const column = line.indexOf('"Connection"') + 1;
    expect(gwc(site.path, ["check"]).stderr).toContain(
      `gateway.yaml:9:${column} warning GW4034: "Connection" belongs to the connection: the gateway writes it itself and ignores this action\n`,
    );
  });
});

describe("gwc explain", () => {
  it("gwc explain names the folder or --config for diagnostics of packages", () => {
    const diagnostics = `diagnostics: { "HELLO-001": { severity: "error", summary: "no luck", message: "no luck", explain: "There was none." } },`;
    const files = packageFiles("hello", { "index.js": definition("hello", diagnostics) });
    const inSite = (code: string) => {
      const { status, stdout, stderr } = gwc(site.path, ["explain", code]);
      return { status, text: status === 0 ? stdout : stderr };
    };
    expect(inSite("HELLO-001")).toEqual({
      status: 2,
      text: "gwc: unknown diagnostic HELLO-001; for a code of a package, run in the folder of a configuration that names the package, or give --config FILE\n",
    });
    expect(inSite("GW0001").text).toBe("gwc: unknown diagnostic GW0001\n");
    writeFiles(site.path, {
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`hello/${path}`, text])),
      "gateway.yaml": configuration(["./hello"], {}),
    });
    expect(inSite("HELLO-001")).toEqual({
      status: 0,
      text: expect.stringContaining("HELLO-001 (error): no luck"),
    });
    expect(inSite("HELO-001").text).toBe(
      "gwc: unknown diagnostic HELO-001; neither gwc nor ./hello defines it\n",
    );
  });
});
