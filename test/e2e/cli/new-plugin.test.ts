// A plugin from `gwc new plugin` fits the current checkout: it compiles, is formatted, and its case passes.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CHECKOUT = [
  ..."cli compiler docs examples plugins runtime schema templates test".split(" "),
  ...".gitignore biome.json package.json tsconfig.json tsconfig.build.json README.md CHANGELOG.md LICENSE".split(
    " ",
  ),
];

let directory: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  directory = temporaryDirectory();
  for (const name of CHECKOUT) cpSync(join(ROOT, name), join(directory.path, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(directory.path, "node_modules"));
});
afterAll(() => directory.remove());

function run(command: string, ...args: string[]): string {
  const env = { ...process.env, UPDATE: "" };
  const done = spawnSync(join(ROOT, "node_modules/.bin", command), args, {
    cwd: directory.path,
    encoding: "utf8",
    env,
  });
  return done.status === 0 ? "" : `${done.stdout}${done.stderr}`;
}

describe("gwc new plugin --built-in", () => {
  it.each(["", "Two-Words", "../x", "a--b", "class", "delete", "constructor", "x".repeat(65)])(
    "gwc new plugin refuses %j as a name",
    (name) => {
      expect(gwc(directory.path, ["new", "plugin", name])).toMatchObject({ status: 2, stdout: "" });
      expect(gwc(directory.path, ["new", "plugin", "--built-in", name])).toMatchObject({ status: 2 });
    },
  );

  it("gwc new plugin --built-in writes plugins that compile, are formatted and pass their cases", () => {
    for (const name of ["greeting", "set-header"])
      expect(gwc(directory.path, ["new", "plugin", "--built-in", name])).toMatchObject({
        status: 0,
        stderr: "",
      });
    expect(gwc(directory.path, ["new", "plugin", "--built-in", "greeting"])).toMatchObject({ status: 1 });
    expect(run("tsc", "--noEmit", "--incremental", "false", "-p", "tsconfig.build.json")).toBe("");
    const types = spawnSync(process.execPath, ["test/tools/generate-types.mjs", "--print"], {
      cwd: directory.path,
      encoding: "utf8",
    });
    const path = "plugins/set-header/schema.gen.ts";
    expect(readFileSync(join(directory.path, path), "utf8")).toBe(JSON.parse(types.stdout)[path]);
    expect(run("biome", "check", "compiler", "plugins", "schema")).toBe("");
    const vitest = ["run", "--config", "test/vitest.config.ts", "--project", "fast"];
    expect(run("vitest", ...vitest, "test/architecture", "test/conformance/case-format.test.ts")).toBe("");
    expect(run("vitest", ...vitest, "test/conformance/run.test.ts", "-t", "greeting|set-header")).toBe("");
  });
});
