import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { configuration, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

const directory = useTemporaryDirectory();

const ASKING = packageFiles("asking", {
  "index.js": definition(
    "asking",
    `phases: ["access"], asyncAccess: true, exports: { asker: ["holds"] }, runtime: "runtime.js",
    plan: ({ value }, context) => [{ phase: "access", origin: context.origin([]), data: { url: value.value } }],
    describe: () => ["asks"],
    view: ({ data }, printer) => ({ asker: printer.constant("asked", printer.code\`\${printer.imported("asker")}(\${printer.literal(data.url)})\`) }),`,
  ),
  "access.hbs": 'if (!(await {{expr asker}}.holds())) {\n  x.respond(503, "", "text/plain");\n  return;\n}\n',
  "runtime.js": `export function asker(url) { return { holds: () => fetch(url).then(() => true, () => false) }; }
export const runtime = { exports: { asker } };
`,
  "runtime.d.ts": `import type { PluginRuntime } from "gwc/plugin";
export interface Asker { holds(): Promise<boolean> }
export function asker(url: string): Asker;
export const runtime: PluginRuntime;
`,
});

it("gwc test names the service that a failing test tried to call, and none for a passing test", () => {
  const gateway = configuration(["./asking"], { asking: { value: "http://127.0.0.1:8081/" } });
  writeFiles(directory.path, {
    ...Object.fromEntries(Object.entries(ASKING).map(([path, text]) => [`asking/${path}`, text])),
    "gateway.yaml": `${gateway}  - { id: s, uri: /plain, upstream_id: main }\n`,
  });
  const tests = (status: number) =>
    writeFileSync(
      join(directory.path, "tests.yaml"),
      `tests:
  - { name: asks, request: { target: /a }, expect: { response: { status: ${status} } } }
  - { name: plain, request: { target: /plain }, expect: { response: { status: 201 } } }
`,
    );
  const run = (...args: string[]) =>
    gwc(directory.path, ["test", "gateway.yaml", "tests.yaml", ...args]).stdout;
  tests(200);
  const said = "no request was sent to 127.0.0.1:8081: tests run without a network";
  const failed = run();
  expect(failed).toContain(`    - 200\n    + 503\n  tests.yaml:2:13: ${said}\n`);
  expect(failed.split(said)).toHaveLength(2);
  const { tests: told } = JSON.parse(run("--format", "json")) as { tests: { refused: string[] }[] };
  expect(told.map(({ refused }) => refused)).toEqual([["127.0.0.1:8081"], []]);
  tests(503);
  expect(run()).not.toContain(said);
});
