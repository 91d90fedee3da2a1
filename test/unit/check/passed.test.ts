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
import {
  checkCacheKey,
  checkedInBuild,
  readCheckCache,
  writeCheckCache,
} from "../../../compiler/6-check/check-cache.js";
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
    expect(readCheckCache(cache, "c1")).toEqual(new Set());
    writeCheckCache(cache, "c1", ["one", "two"]);
    writeCheckCache(cache, "c1", ["three", "one"]);
    expect([...readCheckCache(cache, "c1")]).toEqual(["three", "one", "two"]);
    expect(readdirSync(cache)).toEqual(["passed-c1"]);
  });

  it("the check cache returns nothing that another checker has written", () => {
    writeCheckCache(directory, "c1", ["one"]);
    expect(readCheckCache(directory, "c2")).toEqual(new Set());
  });

  it.each([
    ["cut", (text: string) => text.slice(0, -1)],
    ["changed", (text: string) => text.replace("two", "six")],
    ["longer", (text: string) => `${text}\nthree`],
    ["empty", () => ""],
  ])("the check cache ignores a file that is %s and replaces it on the next write", (_, damage) => {
    writeCheckCache(directory, "c1", ["one", "two"]);
    const file = join(directory, "passed-c1");
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    expect(readCheckCache(directory, "c1")).toEqual(new Set());
    writeCheckCache(directory, "c1", ["one"]);
    expect(readCheckCache(directory, "c1")).toEqual(new Set(["one"]));
  });
});

describe("modules checked in an earlier build", () => {
  function manifest(checked: string | undefined): void {
    const files = { "routes/r.ts": sha256(MODULE.typescript), "plan.json": sha256("{}") };
    writeFileSync(join(directory, "manifest.json"), JSON.stringify({ checked, files }));
  }

  it("the modules of a build count as checked if the same checker has checked it", () => {
    manifest("c1");
    expect(checkedInBuild(directory, "c1").has(checkCacheKey(MODULE))).toBe(true);
    expect(checkedInBuild(directory, "c2").size).toBe(0);
    manifest(undefined);
    expect(checkedInBuild(directory, "c1").size).toBe(0);
  });

  it("a different module and other files of a build do not count as checked", () => {
    manifest("c1");
    const passed = checkedInBuild(directory, "c1");
    expect(passed.has(checkCacheKey({ typescript: "export default 2;" }))).toBe(false);
    expect(passed.has(checkCacheKey({ typescript: "{}" }))).toBe(false);
  });

  it("a missing or damaged build has no checked modules", () => {
    mkdirSync(join(directory, "d"));
    expect(existsSync(join(directory, "d/manifest.json"))).toBe(false);
    expect(checkedInBuild(join(directory, "d"), "c1").size).toBe(0);
    writeFileSync(join(directory, "d/manifest.json"), '{"checked":"c1"}');
    expect(checkedInBuild(join(directory, "d"), "c1").size).toBe(0);
  });
});
