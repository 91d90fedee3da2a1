import { pathFault } from "../../runtime/abi/path-below.js";
import { git } from "./git.js";
import { DiffInputError } from "./side.js";

export interface TreeEntry {
  /** Path from the top of the repository. */
  path: string;
  kind: "file" | "link" | "submodule";
  id: string;
  /** Size in bytes; 0 for a submodule. */
  bytes: number;
}

const LINE = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s;
const FILE = /^100/;
const KINDS: Readonly<Record<string, TreeEntry["kind"]>> = { "120000": "link", "160000": "submodule" };

/**
 * Lists all files at and below paths of a tree. A tree can contain names that git itself never checks out
 * ("..", ".git"); one of them makes the whole revision invalid.
 * @param paths "" is the top
 * @throws DiffInputError that names the entry
 */
export function entriesOf(revision: string, tree: string, paths: readonly string[]): TreeEntry[] {
  const wanted = paths.map((path) => path || ".");
  const listed = git(["ls-tree", "-r", "-l", "-z", "--full-tree", tree, "--", ...wanted]);
  const entries = listed.split("\0").flatMap((line) => {
    const [, mode = "", id = "", bytes = "", path = ""] = LINE.exec(line) ?? [];
    if (path === "") return [];
    return [{ path, id, kind: kindOf(mode), bytes: Number(bytes) || 0 }];
  });
  const seen = new Set<string>();
  for (const { path } of entries) {
    const reason = seen.has(path) ? "appears twice" : pathFault(path);
    if (reason !== undefined) throw refused(revision, path, reason);
    seen.add(path);
  }
  return entries;
}

/** Finds a link or a submodule at a path or above it, below which git lists nothing. */
export function obstacleOn(revision: string, tree: string, path: string): TreeEntry | undefined {
  const names = path.split("/");
  const above = names.map((_, i) => names.slice(0, i + 1).join("/"));
  return entriesOf(revision, tree, above).find(({ kind, path }) => kind !== "file" && above.includes(path));
}

/** Error for an entry that is not followed, because its content would be unknown. */
export const notFollowed = (revision: string, { path, kind }: TreeEntry): DiffInputError =>
  refused(revision, path, `is a ${kind}, which is not followed`);

const refused = (revision: string, path: string, reason: string) =>
  new DiffInputError(`cannot read the tree of revision "${revision}": ${JSON.stringify(path)} ${reason}`);

const kindOf = (mode: string): TreeEntry["kind"] => (FILE.test(mode) ? "file" : (KINDS[mode] ?? "link"));
