// memory.test.ts has more changes and the other faults.
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

it("a build cache is readable only for its user", () => {
  expectPrivate();
});

it("a build does not trust a cache that another user has written", () => {
  expectNoTrustInPoisoned();
});

it("a build with a cache equals one without, also with removed or damaged modules", () => {
  rmSync(join(root, "dist/routes/r5.ts"));
  const damaged = join(root, "dist/routes/r6.ts");
  writeFileSync(damaged, readFileSync(damaged, "utf8").replace("same", "evil"));
  configure("two", "two", "# a comment\n\n");
  build("dist");
  expect(files("dist")).toEqual(builtWithoutCache());
});
