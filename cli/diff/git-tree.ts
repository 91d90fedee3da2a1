import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { SideFault } from "./side.js";

/** Bytes of one answer of git: the files of a large configuration. */
const LARGEST = 1 << 30;

/** Files of a revision, in a folder that is there until `remove`. */
export interface Checkout {
  folder: string;
  /** The paths that were asked for and are there, from the folder. */
  paths: string[];
  /** Top of the working tree that the repository has. */
  top: string;
  remove(): void;
}

/**
 * Writes paths of a revision into a folder of their own; the working tree is not touched. Read from the objects and not by
 * `git archive`, which leaves out what `export-ignore` names.
 * @param paths from the top of the repository, as git has them, or from here with "./"
 * @param some not all of them have to be there
 * @throws SideFault
 */
export function checkout(revision: string, paths: readonly string[], some = false): Checkout {
  const tree = git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`], revision);
  const [prefix, top] = [git(["rev-parse", "--show-prefix"]), git(["rev-parse", "--show-toplevel"])];
  const wanted = paths.map((path) =>
    posix.normalize(/^\.\.?(?:\/|$)/.test(path) ? posix.join(prefix, path) : path).replace(/\/$/, ""),
  );
  const listed = git([
    "ls-tree",
    "-r",
    "-z",
    "--full-tree",
    tree,
    "--",
    ...wanted.map((path) => path || "."),
  ]);
  const files = listed.split("\0").flatMap((line) => {
    const [, id, name] = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return id !== undefined && name !== undefined ? [{ id, name }] : [];
  });
  const found = wanted.filter((path) =>
    files.some(({ name }) => path === "." || name === path || name.startsWith(`${path}/`)),
  );
  const missing = wanted.filter((path) => !found.includes(path));
  if (!some && missing.length > 0)
    throw new SideFault(`revision "${revision}" has no ${missing.map((path) => `"${path}"`).join(", ")}`);
  if (found.length === 0) throw new SideFault(`revision "${revision}" has no ${paths.join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "gwc-diff-"));
  const contents = objects(files.map(({ id }) => id));
  for (const [i, { name }] of files.entries()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents[i] ?? "");
  }
  return { folder, paths: found, top, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** How the files of a revision are written, where only its name was; undefined: there is no such revision. @param path of the other side */
export function spelledRevision(name: string, path: string): string | undefined {
  try {
    git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], name);
    return `${name}:${git(["rev-parse", "--show-prefix"]) === "" ? "" : "./"}${path}`;
  } catch (error) {
    if (error instanceof SideFault) return undefined;
    throw error;
  }
}

function git(args: readonly string[], revision?: string): string {
  try {
    return execFileSync("git", args, {
      encoding: "utf8",
      maxBuffer: LARGEST,
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  } catch (error) {
    const { code, stderr = "" } = error as { code?: string; stderr?: string };
    if (code === "ENOENT") throw new SideFault("git is not installed here, which reads revisions");
    if (revision !== undefined && stderr === "") throw new SideFault(`git knows no revision "${revision}"`);
    throw new SideFault(`git: ${stderr.trim().replace(/^fatal: /, "")}`);
  }
}

/** Contents of objects, in one process however many there are. */
function objects(ids: readonly string[]): Buffer[] {
  const output = execFileSync("git", ["cat-file", "--batch"], {
    input: ids.map((id) => `${id}\n`).join(""),
    maxBuffer: LARGEST,
  });
  let at = 0;
  return ids.map(() => {
    const end = output.indexOf(10, at);
    const length = Number(output.toString("latin1", at, end).split(" ")[2]);
    const start = end + 1;
    at = start + length + 1;
    return output.subarray(start, start + length);
  });
}
