// More changes and the other faults: memory.test.ts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import {
  build,
  builtWithoutCache,
  configure,
  expectNoTrustInPoisoned,
  expectPrivate,
  files,
  root,
} from "../../support/build-cache-harness.js";

beforeAll(() => {
  mkdirSync(join(root, "conf.d"));
  configure("one");
  build("dist");
});

it("a cache of builds is readable for the user alone", () => {
  expectPrivate();
});

it("a build trusts no cache that somebody else has written", () => {
  expectNoTrustInPoisoned();
});

it("a build with a cache has the bytes of one without, also of modules that are gone or damaged", () => {
  rmSync(join(root, "dist/routes/r5.ts"));
  const damaged = join(root, "dist/routes/r6.ts");
  writeFileSync(damaged, readFileSync(damaged, "utf8").replace("same", "evil"));
  configure("two", "two", "# a comment\n\n");
  build("dist");
  expect(files("dist")).toEqual(builtWithoutCache());
});
