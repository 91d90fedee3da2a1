import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gwc, gwcOf } from "./gwc.js";
import { GUARD_LINES, LINES } from "./lines.js";
import { scratchDirectory } from "./peer.js";
import { type LineResult, measureProxies } from "./proxy.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BASE = "gwc of the base";
/** Slower than the base by more than this, in every round: noise of a machine seldom goes one way five times. */
const TOLERANCE = 1.1;

export interface GuardOptions {
  /** Revision to compare with; default: the parent of what the working tree holds. */
  base?: string | undefined;
  /** True measures every line of "proxy". */
  all?: boolean | undefined;
  rounds: number;
  seconds: number;
  progress(text: string): void;
  say(text: string): void;
}

/** `npm run bench:guard`: measures this tree and its base in alternating rounds. @returns false if a line has become slower */
export async function guard({
  base = parentRevision(),
  all = false,
  rounds,
  seconds,
  progress,
  say,
}: GuardOptions): Promise<boolean> {
  progress(`building ${base}`);
  const tree = checkOut(base);
  try {
    const peers = [gwc, gwcOf(BASE, programOf(tree.path))];
    const lines = all ? LINES : GUARD_LINES;
    const results = await measureProxies({ lines, peers, rounds, seconds, progress });
    return guardLines(results, say);
  } finally {
    tree.remove();
  }
}

/** True if all lines were measured and none is slower than the base in every one of its rounds; says the ratios of each. */
export function guardLines(results: readonly LineResult[], say: (text: string) => void): boolean {
  const verdicts = results.map(({ line, peers }) => {
    const [ours, theirs] = [peers.get(gwc.name)?.rounds ?? [], peers.get(BASE)?.rounds ?? []];
    const found = ours.map((total, round) => total / (theirs[round] ?? Number.NaN));
    const isMeasured = found.length > 0 && found.every(Number.isFinite);
    const isFine = isMeasured && !found.every((ratio) => ratio > TOLERANCE);
    const told = found.map((ratio) => ratio.toFixed(2)).join(" ");
    say(
      `${isFine ? "ok" : isMeasured ? "TOO SLOW" : "NOT MEASURED"}: ${line.name}: ${told} × CPU time of the base, allowed ${TOLERANCE} once`,
    );
    return isFine;
  });
  return verdicts.length > 0 && verdicts.every(Boolean);
}

/** Path of the program of a tree, as its package.json names it. */
function programOf(tree: string): string {
  const { bin } = JSON.parse(readFileSync(join(tree, "package.json"), "utf8")) as { bin: { gwc: string } };
  return join(tree, bin.gwc);
}

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** HEAD if the working tree has changes, else the parent of HEAD. */
function parentRevision(): string {
  return git("rev-parse", git("status", "--porcelain") === "" ? "HEAD~1" : "HEAD");
}

/** Builds a revision in a worktree of its own, with the packages of this tree unless the revision locks others. */
function checkOut(revision: string): { path: string; remove: () => void } {
  const scratch = scratchDirectory();
  const path = join(scratch.path, "base");
  const remove = () => {
    git("worktree", "remove", "--force", path);
    scratch.remove();
  };
  git("worktree", "add", "--detach", path, revision);
  try {
    const lock = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8");
    const npm = (...args: string[]) =>
      execFileSync("npm", args, { cwd: path, stdio: ["ignore", "ignore", "inherit"] });
    if (lock(path) === lock(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
    else npm("ci");
    npm("run", "--silent", "build");
    return { path, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
