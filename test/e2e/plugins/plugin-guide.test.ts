// Follows the plugin guide to the letter: its commands, files and outputs.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const GUIDE = readFileSync(join(ROOT, "docs/plugin-guide.md"), "utf8");
const NAME = "gwc-plugin-user-tier";

/** "`path`:" and the block below it. */
const FILES = new Map(
  Array.from(GUIDE.matchAll(/^`([^`\n]+)`:\n\n(`{3,4})\w+\n(.*?)^\2$/gms), ([, path = "", , text = ""]) => [
    path,
    text,
  ]),
);
const COMMANDS = Array.from(GUIDE.matchAll(/^```sh\n(.*?)^```$/gms), ([, text = ""]) =>
  text.trim().split("\n"),
).flat();
/** The report that begins with this line, as the guide shows it. */
const shown = (first: string) => GUIDE.slice(GUIDE.indexOf(first)).split("\n```")[0] ?? "";
/** Removes sizes, which the guide may round. */
const bare = (text: string) => text.replace(/\d+ (?=bytes)/g, "").trim();

let site: ReturnType<typeof temporaryDirectory>;
const folder = () => join(site.path, NAME);
/** Output of the TypeScript compiler. */
const compiled = () =>
  spawnSync(join(ROOT, "node_modules/.bin/tsc"), { cwd: folder(), encoding: "utf8" }).stdout;

beforeAll(() => {
  site = temporaryDirectory();
  mkdirSync(join(site.path, "node_modules/@types"), { recursive: true });
  // A link instead of `npm pack` as in new-package.test.ts, which takes five seconds.
  symlinkSync(ROOT, join(site.path, "node_modules/gwc"));
  for (const name of ["typescript", "@types/node", "undici-types"])
    symlinkSync(join(ROOT, "node_modules", name), join(site.path, "node_modules", name));
});
afterAll(() => site.remove());

describe("the plugin author's guide", () => {
  it("the guide has the commands that this test runs", () => {
    expect(COMMANDS).toEqual([
      "gwc new plugin user-tier",
      `cd ${NAME}`,
      "npm install",
      "npm test",
      "npm install --save-dev @types/node",
      "rm -r dist headerFilter.hbs src/oracle.ts cases/refuses-other-texts.yaml cases/sets-the-header.yaml",
      "npx tsc",
      "gwc test-plugin",
    ]);
    expect([...FILES.keys()]).toHaveLength(9);
  });

  it("the guide leads to a plugin that passes its test as shown and works in a gateway", () => {
    expect(gwc(site.path, ["new", "plugin", "user-tier"])).toMatchObject({ status: 0 });
    // As `npm test` does, which leaves its files behind.
    expect(compiled()).toBe("");
    const [, , ...names] = COMMANDS.find((line) => line.startsWith("rm -r "))?.split(" ") ?? [];
    for (const name of names) rmSync(join(folder(), name), { recursive: true });
    for (const [path, text] of FILES) {
      const file = path === "gateway.yaml" ? join(site.path, path) : join(folder(), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(compiled()).toBe("");
    const tested = gwc(folder(), ["test-plugin"]);
    expect(bare(tested.stdout)).toBe(bare(shown("ok   package: plugin user-tier")));
    expect(tested).toMatchObject({ status: 0, stderr: "" });

    expect(gwc(site.path, ["check", "--quiet", "gateway.yaml"])).toMatchObject({ status: 0, stderr: "" });
    expect(gwc(site.path, ["explain-route", "shop"]).stdout).toContain(
      'asks "http://127.0.0.1:8081/users/" for the tier of the user',
    );
  });

  it("the definition of a logger in the guide compiles with its declarations", () => {
    const section = GUIDE.slice(GUIDE.indexOf("\n## A logger"));
    const [, definition = ""] = /^```ts\n(.*?)^```$/ms.exec(section) ?? [];
    const file = join(folder(), "src/logger.ts");
    writeFileSync(
      file,
      `import { defineLogger, type LoggerSettings } from "gwc/logger";
import { definePlugin } from "gwc/plugin";
const DEFAULTS = { destination: { port: 12201, timeoutMs: 1000 }, batch: { name: "gelf logger" } };
type GelfDestination = { host: string; port: number; timeoutMs: number };
${definition}`,
    );
    const printed = compiled();
    rmSync(file);
    expect(definition).toContain("defineLogger");
    expect(printed).toBe("");
  });

  it("gwc test-plugin reports a runtime part that cannot become one file", () => {
    const file = join(folder(), "dist/runtime.js");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}export const other = (name) => import(name);\n`);
    const { status, stdout } = gwc(folder(), ["test-plugin", "--format", "json"]);
    writeFileSync(file, text);
    expect(status).toBe(1);
    expect(stdout).toContain("GW7009");
    const { outcomes } = JSON.parse(stdout) as { outcomes: { check: string; failures: object[] }[] };
    const runtime = outcomes.find(({ check }) => check === "runtime");
    expect(runtime?.failures).toEqual([
      { file: "dist/runtime.js", message: expect.stringContaining("an import is computed") },
    ]);
  });

  it("the guide shows the failure of a case as it is printed", () => {
    const file = join(folder(), "cases/adds-the-tier.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("X-User-Tier: gold } }, response", "X-User-Tier: silver } }, response"));
    const { status, stdout } = gwc(folder(), ["test-plugin"]);
    expect(status).toBe(1);
    expect(stdout).toContain(shown("FAIL cases"));
  });
});
