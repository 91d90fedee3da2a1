import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knownChecks } from "../../../cli/checked-modules.js";
import { checkerHash } from "../../../compiler/6-check/checker-hash.js";
import { replacedFiles } from "../../../compiler/7-build/listed-files.js";
import { readCheckedHashes, writeCheckedHashes } from "../../../compiler/cache/checked-hashes.js";
import { sha256 } from "../../../runtime/abi/hash.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-passed-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const MODULE = { typescript: "export default 1;" };

describe("the check cache", () => {
  it("the check cache returns the keys of all writes once, newest first", () => {
    const cache = join(directory, "a/b");
    expect(readCheckedHashes(cache, "c1")).toEqual([]);
    writeCheckedHashes(cache, "c1", ["one", "two"]);
    writeCheckedHashes(cache, "c1", ["three", "one"]);
    expect(readCheckedHashes(cache, "c1")).toEqual(["three", "one", "two"]);
    expect(readdirSync(cache)).toEqual(["passed-c1"]);
  });

  it("the check cache returns nothing that another checker has written", () => {
    writeCheckedHashes(directory, "c1", ["one"]);
    expect(readCheckedHashes(directory, "c2")).toEqual([]);
  });

  it.each([
    ["cut", (text: string) => text.slice(0, -1)],
    ["changed", (text: string) => text.replace("two", "six")],
    ["longer", (text: string) => `${text}\nthree`],
    ["empty", () => ""],
  ])("the check cache ignores a file that is %s and replaces it on the next write", (_, damage) => {
    writeCheckedHashes(directory, "c1", ["one", "two"]);
    const file = join(directory, "passed-c1");
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    expect(readCheckedHashes(directory, "c1")).toEqual([]);
    writeCheckedHashes(directory, "c1", ["one"]);
    expect(readCheckedHashes(directory, "c1")).toEqual(["one"]);
  });
});

describe("modules checked in an earlier build", () => {
  function manifest(checked: string | undefined): void {
    const files = { "routes/r.ts": sha256(MODULE.typescript), "plan.json": sha256("{}") };
    writeFileSync(join(directory, "manifest.json"), JSON.stringify({ checked, files }));
  }

  const checker = checkerHash([]);
  const passed = (folder = directory) => knownChecks(replacedFiles(folder), undefined, []).passed;

  it("the modules of a build count as checked if the same checker has checked it", () => {
    manifest(checker);
    expect(passed().has(sha256(MODULE.typescript))).toBe(true);
    manifest("c2");
    expect(passed().size).toBe(0);
    manifest(undefined);
    expect(passed().size).toBe(0);
  });

  it("a different module and other files of a build do not count as checked", () => {
    manifest(checker);
    expect(passed().has(sha256("export default 2;"))).toBe(false);
    expect(passed().has(sha256("{}"))).toBe(false);
  });

  it("the modules of a shared directory count as checked, next to those of the build", () => {
    manifest(checker);
    writeCheckedHashes(join(directory, "shared"), checker, ["one"]);
    const { passed: all } = knownChecks(replacedFiles(directory), join(directory, "shared"), []);
    expect([...all].sort()).toEqual([sha256(MODULE.typescript), "one"].sort());
  });

  it("a missing or damaged build has no checked modules", () => {
    mkdirSync(join(directory, "d"));
    expect(existsSync(join(directory, "d/manifest.json"))).toBe(false);
    expect(passed(join(directory, "d")).size).toBe(0);
    writeFileSync(join(directory, "d/manifest.json"), `{"checked":"${checker}"}`);
    expect(passed(join(directory, "d")).size).toBe(0);
  });
});
