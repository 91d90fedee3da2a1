import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ROOT } from "../../suite/files.js";
import { outsideFile } from "../../suite/outside-errors.js";
import { temporaryDirectory } from "../../support/cli.js";

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Runs vitest on test files of these texts. @returns the output of the reporter */
function outsideErrorsOf(texts: Record<string, string>): unknown {
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(directory.path, `${name}.test.mjs`), `import * as v from ${VITEST};\n${text}\n`);
  const json = join(directory.path, "report.json");
  const args = ["run", "--root", directory.path, "--reporter=json", `--outputFile.json=${json}`];
  const reporter = `--reporter=${join(ROOT, "test/suite/outside-errors.ts")}`;
  spawnSync(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), ...args, reporter]);
  return JSON.parse(readFileSync(outsideFile(json), "utf8"));
}
const VITEST = JSON.stringify(join(ROOT, "node_modules/vitest/dist/index.js"));

it("a dead worker, an unhandled rejection and a failing hook are in a file next to vitest's report", () => {
  const found = outsideErrorsOf({
    dies: 'v.it("dies", () => { process.kill(process.pid, "SIGKILL"); });',
    rejects: `
      v.it("x", () => void Promise.reject(new Error("late")));
      v.it("y", () => new Promise((resolve) => setTimeout(resolve, 20)));`,
    hook: 'v.describe("a", () => { v.beforeAll(() => { throw new Error("no peer"); }); v.it("x", () => {}); });',
    passes: 'v.it("x", () => {});',
  });
  expect(found).toEqual({
    unhandled: expect.arrayContaining([
      expect.stringMatching(/exited unexpectedly$/),
      `${join(directory.path, "rejects.test.mjs")}: late`,
    ]),
    hooks: { [join(directory.path, "hook.test.mjs")]: "no peer" },
  });
});
