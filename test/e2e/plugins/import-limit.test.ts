// Modules of a package run during their import: one that does not end, or ends the process, is aborted and
// named.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { COUNTING, configuration, packageFiles, writeFiles } from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  site = temporaryDirectory();
});
afterEach(() => site.remove());

/**
 * Result of `gwc check` for a package with these files beside a good one: location and code of errors, and
 * output.
 */
function checked(name: string, change: Record<string, string>) {
  writeFiles(join(site.path, `node_modules/gwc-plugin-${name}`), packageFiles(name, change));
  writeFiles(join(site.path, "node_modules/gwc-plugin-good"), packageFiles("good"));
  const text = configuration([`gwc-plugin-${name}`, "gwc-plugin-good"], {
    [name]: { value: "a" },
    good: { value: "$nothing" },
  });
  writeFileSync(join(site.path, "gateway.yaml"), text);
  const { status, stdout, stderr } = gwc(site.path, ["check"]);
  const found = Array.from(stderr.matchAll(/^(\S+?) error (\S+?):/gm), ([, at, code]) => [at, code]);
  return { status, found, stdout, report: stderr };
}

const UNKNOWN_VARIABLE = [expect.anything(), "GW4001"];
const named = (code: string) => [["gateway.yaml:2:5", code], UNKNOWN_VARIABLE];

describe("the import of a package", () => {
  it("an import that loops is aborted, and other packages are still checked", () => {
    const { status, found, report } = checked("hello", { "index.js": "for (;;);" });
    expect(status).toBe(1);
    expect(found).toEqual(named("GW7013"));
    expect(report).toContain('the import of "gwc-plugin-hello" does not finish within 10 s');
  });

  it("an import of a module that loops is aborted", () => {
    const change = { "index.js": 'import "./loop.js";', "loop.js": "for (;;);" };
    expect(checked("hello", change).found).toEqual(named("GW7013"));
  });

  it("an import that never resolves is rejected", () => {
    const { found, report } = checked("hello", { "index.js": "await new Promise(() => {});" });
    expect(found).toEqual(named("GW7003"));
    expect(report).toContain("or waits for something that never comes");
  });

  it("an import that ends the process is rejected", () => {
    const { status, found, report } = checked("hello", { "index.js": "process.exit(0);" });
    expect(status).toBe(1);
    expect(found).toEqual(named("GW7003"));
    expect(report).toContain("its import ends the process");
  });

  it("an import that fills the memory is rejected", () => {
    const change = { "index.js": "const all = []; for (;;) all.push(new Array(1e6).fill(1));" };
    const { found, report } = checked("hello", change);
    expect(found).toEqual(named("GW7003"));
    expect(report).toContain("memory");
  });

  it("an import prints nothing twice", () => {
    const { stdout } = checked("hello", { "index.js": 'console.log("once"); export default {};' });
    expect(stdout.match(/once/g)).toHaveLength(1);
  });
});

describe("the import of a runtime part", () => {
  it("an import of a runtime part that loops is aborted", () => {
    const { found, report } = checked("counting", { ...COUNTING, "runtime/index.js": "for (;;);" });
    expect(found).toEqual(named("GW7009"));
    expect(report).toContain("its import does not finish within 10 s");
  });

  it("an import of a runtime part that never resolves is rejected", () => {
    const change = { ...COUNTING, "runtime/index.js": "await new Promise(() => {});" };
    const { found, report } = checked("counting", change);
    expect(found).toEqual(named("GW7009"));
    expect(report).toContain("or waits for something that never comes");
  });
});
