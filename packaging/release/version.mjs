// Files that name the current version of gwc.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Pages, comments and expected modules. The changelog, decisions and tests name versions of the past. */
const NAMING = ["runtime", "docs", "plugins", "test/golden", ":!docs/decisions"];

/** @returns new texts of all files that name the version, by path from the root */
export function versionEdits(root, from, to) {
  const read = (path) => readFileSync(join(root, path), "utf8");
  const edits = new Map([
    ["package.json", read("package.json").replace(`"version": "${from}"`, `"version": "${to}"`)],
    ["package-lock.json", withLockedVersion(read("package-lock.json"), to)],
    ["SECURITY.md", withSupportedVersion(read("SECURITY.md"), to)],
  ]);
  for (const path of filesWith(root, from)) edits.set(path, withVersion(read(path), from, to));
  return edits;
}

function filesWith(root, version) {
  const args = ["grep", "--fixed-strings", "--files-with-matches", "-z", "-e", version, "--", ...NAMING];
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
}

/** Leaves addresses such as 10.0.2.0 and versions of other programs alone. */
function withVersion(text, from, to) {
  const version = from.replaceAll(".", "\\.");
  return text.replace(
    new RegExp(`(\\bgwc[-: ]|\\bVERSION = "|"version": ?")${version}(?![\\d])`, "g"),
    (_, before) => `${before}${to}`,
  );
}

function withLockedVersion(text, to) {
  const lock = JSON.parse(text);
  lock.version = to;
  lock.packages[""].version = to;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Marks the minor version as the one that is supported, and the others as not. */
function withSupportedVersion(text, to) {
  const minor = to.split(".").slice(0, 2).join(".");
  const row = (name, isSupported) => `| ${name.padEnd(7)} | ${(isSupported ? "yes" : "no").padEnd(9)} |`;
  const rest = text.replace(/^\| (\d+\.\d+) +\| (?:yes|no) +\|\n/gm, (_, name) =>
    name === minor ? "" : `${row(name, false)}\n`,
  );
  return rest.replace(/^\| -+ \| -+ \|\n/m, (line) => `${line}${row(minor, true)}\n`);
}
