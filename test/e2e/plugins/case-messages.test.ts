// Output of `gwc test-plugin` for failing cases, invalid modules and unsuitable packages: each with its line,
// the cause first.
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { COUNTING, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  site = temporaryDirectory();
});
afterEach(() => site.remove());

/** Output for a package with these files. */
function tested(name: string, change: Record<string, string>): string {
  writeFiles(site.path, packageFiles(name, change));
  return gwc(site.path, ["test-plugin"]).stdout;
}

/** Files of a plugin whose runtime part calls a service in `next()`, in modules of two files. */
const asking = (next: string): Record<string, string> => ({
  ...COUNTING,
  "index.js": definition(
    "counting",
    `phases: ["access"], asyncAccess: true, exports: { counted: ["next"] }, runtime: "runtime/index.js",
    plan: ({ value }, context) => [{ phase: "access", origin: context.origin([]), data: { url: value.value } }],
    describe: () => ["asks"],
    view: ({ data }, printer) => ({ asker: printer.constant("asker", printer.code\`\${printer.imported("counted")}(\${printer.literal(data.url)})\`) }),`,
  ),
  "access.hbs": "await {{expr asker}}.next();\n",
  "runtime/index.js": `import { asked } from "./asked.js";
export function counted(url) { return { next: () => asked(url) }; }
export const runtime = { exports: { counted } };
`,
  "runtime/asked.js": `let known;
export async function asked(url) {
  ${next}
}
`,
  "runtime/index.d.ts": `import type { PluginRuntime } from "gwc/plugin";
export interface Counted { next(): Promise<void> }
export function counted(url: string): Counted;
export const runtime: PluginRuntime;
`,
});
const TWICE = `because: it asks once
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { counting: { value: "http://@users@/" } } }
services: { users: { /: { body: a } } }
exchanges:
  - when: the first
    expect: { service_requests: { users: 1 } }
  - when: the second
    expect:
      service_requests: { users: 0 }
      response: { status: 200 }
`;

it("gwc test-plugin counts the requests to services in each exchange", () => {
  const caching = asking("known ??= await (await fetch(url)).text();");
  expect(tested("counting", { ...caching, "cases/asks.yaml": TWICE })).not.toContain("FAIL cases");
  const wrong = TWICE.replace("users: 0", "users: 2");
  expect(tested("counting", { ...caching, "cases/asks.yaml": wrong })).toContain(
    'cases/asks.yaml:11: the second: requests to the service "users": got 0, expected 2',
  );
  const unknown = TWICE.replace("service_requests: { users: 0", "service_requests: { usres: 0");
  expect(tested("counting", { ...caching, "cases/asks.yaml": unknown })).toContain(
    'cases/asks.yaml:11: "services" has no "usres"',
  );
});

it("gwc test-plugin names the line of the runtime part that threw, without consequential failures", () => {
  const printed = tested("counting", {
    ...asking('throw new RangeError("no luck");'),
    "cases/asks.yaml": TWICE,
  });
  expect(printed).toContain(
    "cases/asks.yaml:7: the first: the gateway reports module_failed: no luck (runtime/asked.js:3)\n",
  );
  expect(printed).toContain("cases/asks.yaml:9: the second: the gateway reports module_failed: no luck");
  expect(printed).not.toContain("status of the response");
});

it("gwc test-plugin names the line that threw in plan, and the field in a case and a README", () => {
  const own = `plan() {
    throw new Error("no luck");
  },`;
  const index = definition("hello", own);
  const line = index.split("\n").findIndex((text) => text.includes("no luck")) + 1;
  const route = `routes:
  - id: r
    uri: /*
    upstream_id: main
    plugins:
      hello: { value: a }
`;
  const printed = tested("hello", {
    "index.js": index,
    "README.md": `# hello\n\n\`\`\`yaml\nplugins: [gwc-plugin-hello]\nupstreams: [{ id: main, nodes: { "a:1": 1 } }]\n${route}\`\`\`\n`,
    "cases/a-case.yaml": `because: it does\nconfiguration:\n  ${route.replaceAll("\n", "\n  ").trim()}\nexchanges: []\n`,
  });
  expect(printed).toMatch(
    new RegExp(`cases/a-case\\.yaml:8: GW7010: .* fails in plan: Error: no luck \\(index\\.js:${line}\\)\\n`),
  );
  expect(printed).toContain("README.md:11: same as at cases/a-case.yaml:8\n");
});

it("gwc test-plugin names template, case and the formatted line of a badly formatted module", () => {
  const fields = `phases: ["rewrite"],
  plan: (_, context) => [{ phase: "rewrite", origin: context.origin([]), data: null }],
  describe: () => ["does something"], view: () => ({ status: 200 }),`;
  const printed = tested("hello", {
    "index.js": definition("hello", fields),
    "rewrite.hbs": "// a line\nx.respond( {{lit status}});\nreturn;\n",
    "cases/a-case.yaml":
      "because: it does\nconfiguration: { routes: [{ id: r, uri: /*, upstream_id: main, plugins: { hello: { value: a } } }] }\nexchanges:\n  - expect: {}\n",
  });
  expect(printed).toMatch(
    /rewrite\.hbs:2: GW5002: cases\/a-case\.yaml, routes\/r(?:\.ts)?:\d+: formatting would make this line ` +x\.respond\(200\);`/,
  );
  expect(printed).toMatch(/rewrite\.hbs:2: GW5001: cases\/a-case\.yaml, routes\/r(?:\.ts)?:\d+: Expected/);
});

it("gwc test-plugin expects the warnings that a case names", () => {
  const files = { "index.js": definition("hello").replace('name: "X-hello"', "name: value.value") };
  const warned = (more: string) => `because: it warns
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { hello: { value: Connection } } }
${more}
`;
  const printed = tested("hello", {
    ...files,
    "cases/a.yaml": warned("warned: [GW4034]"),
    "cases/b.yaml": warned("warned: [GW4033]\nexchanges:\n  - expect: {}"),
    "cases/c.yaml": warned("refused: [GW4034]"),
    "cases/d.yaml": warned("warned: [GW4034]").replace("Connection", "X-A"),
    "cases/e.yaml": warned("").trim(),
  });
  expect(printed).not.toContain("cases/a.yaml");
  expect(printed).toContain("cases/b.yaml:5: the warnings are GW4034\n");
  expect(printed).toContain(
    'cases/c.yaml:5: the configuration is accepted; the warnings are GW4034, which "warned" expects\n',
  );
  expect(printed).toContain("cases/d.yaml:5: there are no warnings\n");
  expect(printed).toContain('cases/e.yaml:1: GW2108: the case needs "exchanges", "refused" or "warned"\n');
});

it("gwc test-plugin reports a source that is newer than its compiled file, but not an older one", () => {
  const files = packageFiles("hello", {
    "package.json":
      '{ "name": "gwc-plugin-hello", "version": "1.2.3", "type": "module", "main": "dist/index.js" }',
  });
  const { "index.js": index = "", ...others } = files;
  writeFiles(site.path, { ...others, "dist/index.js": index, "src/index.ts": "export {};\n" });
  const at = (path: string, seconds: number) => utimesSync(join(site.path, path), seconds, seconds);
  at("dist/index.js", 1_000);
  at("src/index.ts", 2_000);
  expect(gwc(site.path, ["test-plugin"]).stdout).toContain(
    "FAIL package: plugin hello\n     src/index.ts: newer than dist/index.js, which the test uses: run npx tsc\n",
  );
  at("src/index.ts", 900);
  expect(gwc(site.path, ["test-plugin"]).stdout).toContain("ok   package: plugin hello\n");
});

it("gwc test-plugin prints no version of a package that does not load", () => {
  expect(tested("hello", { "index.js": "throw 1;\n" })).toMatch(/\n\.\/\S+ fails in 1 of 1 checks\n$/);
});

it.each([
  ["that throws", 'const a = 1;\nthrow new Error("no luck");\n', "Error: no luck (index.js:2)"],
  [
    "that imports a name which is not there",
    'const a = 1;\nimport { nothing } from "gwc/plugin";\n',
    /SyntaxError: The requested module 'gwc\/plugin' .*'nothing' \(index\.js:2\)/,
  ],
])("gwc test-plugin names the line of a package %s during its import", (_, index, reason) => {
  const printed = tested("hello", { "index.js": index });
  expect(printed).toMatch(/cannot be imported: /);
  if (typeof reason === "string") expect(printed).toContain(`cannot be imported: ${reason}`);
  else expect(printed).toMatch(reason);
});

it.each([
  ["step", 'export const oracle = () => {\n  throw new TypeError("no luck");\n};\n', "the oracle throws "],
  ["import", 'const a = 1;\nthrow new TypeError("no luck");\n', ""],
])("gwc test-plugin names the line of an oracle that throws in its %s", (_, oracle, before) => {
  const printed = tested("counting", {
    ...asking("known = await fetch(url); await known.text();"),
    "oracle.js": oracle,
    "cases/a-case.yaml": TWICE,
  });
  expect(printed).toContain(`${before}TypeError: no luck (oracle.js:2)`);
});

it("gwc test-plugin runs exchanges with the fields of gwc test, and simulates an upstream that fails", () => {
  const printed = tested("hello", {
    "cases/a.yaml": `because: an upstream may fail, and bodies may be chunked
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { hello: { value: a } } }
exchanges:
  - request: { method: POST, host: shop.test, chunked: 3, body: { json: { a: 1 } } }
    upstream: { framing: chunked, body: late, trailers: ["X-Sum: 7"] }
    expect:
      upstream_request: { headers: { Host: shop.test }, body: { json: { a: 1 } } }
      response: { body: late, trailers: ["X-Sum: 7"] }
  - upstream: { failure: connect }
    expect: { response: { status: 502 } }
`,
    "cases/b.yaml": `because: a rejected configuration has no exchanges
configuration: {}
refused: [GW2102]
exchanges: []
`,
  });
  expect(printed).toContain("FAIL cases: 1 cases, 2 exchanges\n     cases/b.yaml:4: GW2107: ");
  expect(printed).not.toContain("cases/a.yaml");
});
