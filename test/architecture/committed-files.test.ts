import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT, read } from "./sources.js";

/** Files of a running gateway, a tool or an editor: keys, stores, spools, archives, logs. */
const LEFT_BEHIND = /\.(?:key|p12|pfx|lmdb|mdb|lock|sock|pid|log|tgz|tar|gz|orig|rej|swp|bak)$|~$/;
/** Folders of a running gateway; folders with code are called store and spool too. */
const RUNNING = /(?:^|\/)(?:store|spool)\/(?!.*\.tsx?$)/;
const MADE = /(?:^|\/)(?:node_modules|\.build|\.cache|\.gwc|coverage|test-results)\//;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/;

/** Fixtures with keys that protect nothing. */
const KEY_FIXTURES = /^test\/(?:diagnostics\/cases\/|support\/certificate\.ts$)/;

const isLeftBehind = (path: string) => LEFT_BEHIND.test(path) || RUNNING.test(path) || MADE.test(path);

const noGit = existsSync(join(ROOT, ".git")) ? "" : " (left out: there is no .git to ask)";

const tracked = () =>
  execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "");

it.skipIf(noGit !== "")(`no commit contains a store, a key or files that tools make${noGit}`, () => {
  expect(tracked().filter(isLeftBehind)).toEqual([]);
});

it("the check of committed files distinguishes files of a running gateway from code", () => {
  const left = [
    "store/store.lmdb",
    "store/admin.key",
    "a/store/spool/1/2.seg",
    "store/encryption.key",
    "x.tgz",
  ];
  expect(left.filter(isLeftBehind)).toEqual(left);
  const code = [
    "runtime/control/store/store.ts",
    "runtime/logging/spool/segment-counts.ts",
    "package-lock.json",
  ];
  expect(code.filter(isLeftBehind)).toEqual([]);
});

it.skipIf(noGit !== "")(`no commit contains a private key except in fixtures${noGit}`, () => {
  const files = tracked().filter((path) => !KEY_FIXTURES.test(path) && existsSync(join(ROOT, path)));
  expect(files.filter((path) => PRIVATE_KEY.test(read(path)))).toEqual([]);
});

it("git ignores the store of a gateway that runs in the checkout", () => {
  expect(read(".gitignore").split("\n")).toContain("/store/");
});
