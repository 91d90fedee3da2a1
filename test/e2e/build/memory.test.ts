import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  build,
  builtWithoutCache,
  configure,
  expectNoTrustInPoisoned,
  expectPrivate,
  files,
  root,
  variables,
} from "../../support/build-cache-harness.js";
import { gwc } from "../../support/cli.js";

beforeEach(() => {
  for (const name of ["conf.d", "dist", "cache", "config"])
    rmSync(join(root, name), { recursive: true, force: true });
  mkdirSync(join(root, "conf.d"));
  configure("one");
  build("dist");
});

it("a build with a cache equals one without after each kind of change", () => {
  const changes = [
    () => configure("two"),
    () => configure("two", "two"),
    () => configure("two", "two", "# a comment\n\n"),
  ];
  for (const change of changes) {
    change();
    build("dist");
    expect(files("dist")).toEqual(builtWithoutCache());
  }
});

it("a build writes missing and damaged files again, although they are cached", () => {
  const [gone, damaged] = ["r5.ts", "r6.ts"].map((name) => join(root, "dist/routes", name));
  if (!gone || !damaged) throw new Error();
  rmSync(gone);
  writeFileSync(damaged, readFileSync(damaged, "utf8").replace("same", "evil"));
  rmSync(join(root, "dist/resources.json"));
  expect(build("dist")).toContain("3 files written");
  expect(files("dist")).toEqual(builtWithoutCache());
});

it("a build trusts no cache that another user has written, and none whose key others can read", () => {
  const path = expectNoTrustInPoisoned();
  chmodSync(join(root, "config/gwc/build.key"), 0o644);
  utimesSync(path, 1, 1);
  build("dist");
  expect(statSync(path).mtimeMs).toBe(1_000);
});

it("a build leaves only its directory, after a replacement, a failure and a removal of the old build", () => {
  const beside = () => readdirSync(root).filter((name) => name.startsWith("dist"));
  configure("two");
  build("dist");
  expect(beside()).toEqual(["dist"]);
  const before = files("dist");
  configure("two", "no header name");
  expect(gwc(root, ["build", "conf.d", "--out", "dist"], variables(root)).status).toBe(1);
  expect(files("dist")).toEqual(before);
  expect(beside()).toEqual(["dist"]);
  rmSync(join(root, "dist"), { recursive: true });
  configure("three");
  build("dist");
  expect(files("dist")).toEqual(builtWithoutCache());
  expect(beside()).toEqual(["dist"]);
});

it("a build never writes through a hard link to a file of the last build", () => {
  const name = Object.keys(files("dist")).find((path) => path.endsWith("/r0.ts")) ?? "";
  linkSync(join(root, "dist", name), join(root, "mine"));
  const before = readFileSync(join(root, "mine"), "utf8");
  configure("two");
  build("dist");
  expect(readFileSync(join(root, "mine"), "utf8")).toBe(before);
  expect(files("dist")[name]).not.toBe(before);
  expect(files("dist")).toEqual(builtWithoutCache());
});

it("a build cache is readable only for its user", () => {
  expectPrivate();
});
