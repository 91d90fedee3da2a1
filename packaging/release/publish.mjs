// Publishes a release: commit, tag and push, then a release page with the files.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./changelog.mjs";

/**
 * Reports all that prevents a publication, before the work of a release starts.
 * @throws ReleaseError
 */
export function checkPublishable(root, { isSigned, passedTree }) {
  const faults = [];
  if (!isSigned) faults.push("a published release is signed: add --sign KEY or --sign-with COMMAND");
  if (passedTree !== output(root, "git", "rev-parse", "HEAD^{tree}"))
    faults.push("npm test has not passed on this commit (test-results/passed.json)");
  if (upstreamOf(root) === undefined) faults.push("the branch has no upstream to push to");
  if (output(root, "gh", "auth", "status") === undefined)
    faults.push("gh, which makes the release page, is not installed or not logged in");
  if (faults.length > 0) throw new ReleaseError(faults.join("\n"));
}

/**
 * @param edits new texts of files, by path
 * @param commit commit that the release was made from
 * @param files paths of the files of the release
 * @throws ReleaseError if the checkout has changed since
 */
export function publish(root, { version, commit, edits, notes, files }) {
  const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: "inherit" });
  const isUnchanged =
    output(root, "git", "rev-parse", "HEAD") === commit &&
    output(root, "git", "status", "--porcelain") === "";
  if (!isUnchanged)
    throw new ReleaseError("the checkout has changed during the release: nothing is published");
  const tag = `v${version}`;
  const { remote, branch } = upstreamOf(root);
  for (const [path, text] of edits) writeFileSync(join(root, path), text);
  run("git", "commit", "--quiet", "--all", "--message", `build: release ${version}`);
  run("git", "tag", "--annotate", tag, "--message", `gwc ${version}`);
  run("git", "push", "--atomic", remote, `HEAD:${branch}`, tag);
  const page = ["--verify-tag", "--title", `gwc ${version}`, "--notes-file", notes];
  run("gh", "release", "create", tag, ...files, ...page);
}

function upstreamOf(root) {
  const branch = output(root, "git", "symbolic-ref", "--quiet", "--short", "HEAD");
  if (branch === undefined) return undefined;
  const remote = output(root, "git", "config", `branch.${branch}.remote`);
  const merged = output(root, "git", "config", `branch.${branch}.merge`);
  return remote && merged && { remote, branch: merged };
}

/** Output of a command without the end of its line; undefined if it fails. */
function output(cwd, program, ...args) {
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
