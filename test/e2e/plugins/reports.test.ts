import { afterEach, beforeEach, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { COUNTING, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  site = temporaryDirectory();
});
afterEach(() => site.remove());

const VIEW = `view: (_, printer) => ({
    headers: {
      owner: null,
      statements: [printer.code\`x.response.headers.set(\${printer.literal("X-Count")}, \${printer.resource()}.next())\`],
    },
  }),`;

/** Cases of `gwc test-plugin` for a plugin whose resource runs this code. */
function casesWith({ open, next }: { open: string; next: string }): { failures: { message: string }[] } {
  const files = packageFiles("counting", {
    ...COUNTING,
    "index.js": definition(
      "counting",
      `exports: { counted: ["resource", "next"] }, runtime: "runtime/index.js",
  plan(_, context) {
    context.resource({ name: "n" });
    return [{ phase: "headerFilter", origin: context.origin([]), data: null }];
  },
  describe: () => ["counts"],
  resource: ({ name }, printer) => printer.code\`\${printer.imported("counted")}(\${printer.literal(name)})\`,
  ${VIEW}`,
    ),
    "runtime/index.js": `export function counted(name) {
  return {
    resource: { kind: "counting", key: name, open(context) { ${open} return { drain() {} }; }, use() {} },
    next() { ${next} },
  };
}
export const runtime = { exports: { counted } };
`,
    "runtime/index.d.ts": `import type { PluginRuntime, Resource } from "gwc/plugin";
export interface Counted { readonly resource: Resource; next(): string }
export function counted(name: string): Counted;
export const runtime: PluginRuntime;
`,
    "cases/counts.yaml": `because: it counts
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { counting: { value: a } } }
exchanges:
  - expect: { response: { status: 200 } }
`,
  });
  writeFiles(site.path, files);
  const { stdout } = gwc(site.path, ["test-plugin", "--format", "json"]);
  const { outcomes } = JSON.parse(stdout) as {
    outcomes: { check: string; failures: { message: string }[] }[];
  };
  const found = outcomes.find(({ check }) => check === "cases");
  if (found === undefined) throw new Error(stdout);
  return found;
}

it("gwc test-plugin accepts a plugin's own report, however it is worded", () => {
  const open = 'context.report("counter_failed", { reason: "an error" });';
  expect(casesWith({ open, next: 'return "1";' }).failures).toEqual([]);
});

it("gwc test-plugin takes a report of the gateway about an exchange for a failure, with its reason", () => {
  const [failure] = casesWith({ open: "", next: 'throw new RangeError("no luck");' }).failures;
  expect(failure?.message).toBe("the gateway reports module_failed: no luck (runtime/index.js:4)");
});
