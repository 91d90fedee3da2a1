import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, relative, sep } from "node:path";
import { type FileTree, isSourceName, PARTS_FOLDER } from "../../compiler/1-parse/files.js";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { MAX_FILE_BYTES, pathFault, UnreadableFileError } from "../../runtime/abi/regular-file.js";
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
function entriesOf(revision: string, tree: string, paths: readonly string[]): TreeEntry[] {
  const wanted = paths.map((path) => path || ".");
  const listed = git(["ls-tree", "-r", "-l", "-z", "--full-tree", tree, "--", ...wanted]);
  const entries = listed.split("\0").flatMap((line) => {
    const [, mode = "", id = "", bytes = "", path = ""] = LINE.exec(line) ?? [];
    if (path === "") return [];
    const kind: TreeEntry["kind"] = FILE.test(mode) ? "file" : (KINDS[mode] ?? "link");
    return [{ path, id, kind, bytes: Number(bytes) || 0 }];
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
function obstacleOn(revision: string, tree: string, path: string): TreeEntry | undefined {
  const names = path.split("/");
  const above = names.map((_, i) => names.slice(0, i + 1).join("/"));
  return entriesOf(revision, tree, above).find(({ kind, path }) => kind !== "file" && above.includes(path));
}

/** Error for an entry that is not followed, because its content would be unknown. */
const notFollowed = (revision: string, { path, kind }: TreeEntry): DiffInputError =>
  refused(revision, path, `is a ${kind}, which is not followed`);

const refused = (revision: string, path: string, reason: string) =>
  new DiffInputError(`cannot read the tree of revision "${revision}": ${JSON.stringify(path)} ${reason}`);

/**
 * Paths of a revision, read from its objects into memory; neither the working tree nor any file is written.
 * `git archive` would omit paths with `export-ignore`.
 */
export class Revision implements FileTree {
  readonly name: string;
  /** The requested paths that exist, from the top. */
  readonly paths: readonly string[];
  /** Top of the working tree of the repository, where the files would be. */
  readonly top: string;
  readonly #entries: ReadonlyMap<string, TreeEntry>;
  readonly #contents = new Map<string, Buffer>();

  /**
   * @param paths from the top of the repository, as git prints them, or from the current directory with "./"
   * @param some true: paths may be missing
   * @throws DiffInputError
   */
  constructor(name: string, paths: readonly string[], some = false) {
    const tree = git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{tree}`], name);
    const prefix = git(["rev-parse", "--show-prefix"]);
    this.name = name;
    this.top = git(["rev-parse", "--show-toplevel"]);
    const wanted = paths.map((path) =>
      posix.normalize(/^\.\.?(?:\/|$)/.test(path) ? posix.join(prefix, path) : path).replace(/\/$/, ""),
    );
    const entries = entriesOf(name, tree, wanted);
    this.#entries = new Map(entries.map((entry) => [entry.path, entry]));
    this.paths = wanted.filter((path) => entries.some((entry) => isAtOrBelow(entry.path, path)));
    const missing = wanted.filter((path) => !this.paths.includes(path));
    for (const path of missing) {
      const obstacle = obstacleOn(name, tree, path);
      if (obstacle !== undefined) throw notFollowed(name, obstacle);
    }
    if (!some && missing.length > 0)
      throw new DiffInputError(`revision "${name}" has no ${missing.map((path) => `"${path}"`).join(", ")}`);
    if (this.paths.length === 0) throw new DiffInputError(`revision "${name}" has no ${paths.join(", ")}`);
    this.#load(entries.filter(({ path }) => this.#isSource(path)));
  }

  /** The path of a directory of `gwc build`, if it is the only path. */
  get build(): string | undefined {
    const [only = "", ...others] = this.paths;
    return others.length === 0 && this.isBuild(join(this.top, only)) ? only : undefined;
  }

  isDirectory(path: string): boolean {
    const inside = this.#inside(path);
    if (this.#entries.has(inside)) return false;
    if ([...this.#entries.keys()].some((file) => isAtOrBelow(file, inside || "."))) return true;
    throw Object.assign(new Error(`no ${inside}`), { code: "ENOENT" });
  }

  names(directory: string): string[] {
    const inside = this.#inside(directory);
    return [...this.#entries.keys()].flatMap((file) =>
      posix.dirname(file) === (inside || ".") ? posix.basename(file) : [],
    );
  }

  read(path: string, maxBytes: number): Buffer {
    const inside = this.#inside(path);
    const entry = this.#entries.get(inside);
    if (entry !== undefined && entry.bytes > maxBytes)
      throw new UnreadableFileError(`it has ${entry.bytes} bytes; the limit is ${maxBytes}`);
    return this.#contents.get(inside) ?? Buffer.alloc(0);
  }

  isBuild(directory: string): boolean {
    return this.#entries.get(posix.join(this.#inside(directory), MANIFEST))?.kind === "file";
  }

  /**
   * Copies files to a temporary folder: a build is read as one directory. @throws DiffInputError for a link
   * or submodule
   */
  async withFolder<T>(path: string, use: (folder: string) => Promise<T>): Promise<T> {
    const entries = [...this.#entries.values()].filter((entry) => isAtOrBelow(entry.path, path));
    this.#load(entries);
    const folder = mkdtempSync(join(tmpdir(), "gwc-diff-"));
    try {
      for (const entry of entries) {
        const file = join(folder, entry.path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, this.#contents.get(entry.path) ?? "", { flag: "wx", mode: 0o600 });
      }
      return await use(join(folder, path));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Reports whether a file is read as a configuration: it is named, or directly in a named directory. */
  #isSource(path: string): boolean {
    const parent = posix.dirname(path);
    const isPart = posix.basename(parent) === PARTS_FOLDER && this.paths.includes(posix.dirname(parent));
    return (
      this.paths.includes(path) ||
      ((isPart || this.paths.includes(parent)) && isSourceName(posix.basename(path)))
    );
  }

  #load(entries: readonly TreeEntry[]): void {
    for (const entry of entries) if (entry.kind !== "file") throw notFollowed(this.name, entry);
    // Readers reject larger files by their size.
    const needed = entries.filter(({ path, bytes }) => bytes <= MAX_FILE_BYTES && !this.#contents.has(path));
    const contents = objects(needed.map(({ id }) => id));
    for (const [i, { path }] of needed.entries()) this.#contents.set(path, contents[i] ?? Buffer.alloc(0));
  }

  #inside(path: string): string {
    return relative(this.top, path).split(sep).join("/");
  }
}

const isAtOrBelow = (path: string, folder: string): boolean =>
  folder === "." || path === folder || path.startsWith(`${folder}/`);

/** Suggests how to name files of a revision if only the revision was given; undefined if it does not exist. */
export function spelledRevision(name: string, path: string): string | undefined {
  try {
    git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], name);
    return `${name}:${git(["rev-parse", "--show-prefix"]) === "" ? "" : "./"}${path}`;
  } catch (error) {
    if (error instanceof DiffInputError) return undefined;
    throw error;
  }
}

/** Maximum output of one git command in bytes: the files of a large configuration. */
const MAX_OUTPUT_BYTES = 1 << 30;

/** @throws DiffInputError */
const git = (args: readonly string[], revision?: string): string =>
  run(args, "", revision).toString("utf8").trimEnd();

/** Reads contents with a single process. @throws DiffInputError */
function objects(ids: readonly string[]): Buffer[] {
  if (ids.length === 0) return [];
  const output = run(["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  let at = 0;
  return ids.map((id) => {
    const end = output.indexOf(10, at);
    const [, type, size] = output.toString("latin1", at, end).split(" ");
    // git prints "<id> missing" if the repository lacks an object.
    if (type !== "blob") throw new DiffInputError(`git: object ${id} is missing`);
    const start = end + 1;
    at = start + Number(size) + 1;
    return output.subarray(start, at - 1);
  });
}

/**
 * @param revision given by the user, for the message if git does not know it
 * @throws DiffInputError
 */
function run(args: readonly string[], input: string, revision?: string): Buffer {
  try {
    return execFileSync("git", args, { input, maxBuffer: MAX_OUTPUT_BYTES, stdio: "pipe" });
  } catch (error) {
    throw faultOf(error as { code?: string; stderr: Buffer | null }, revision);
  }
}

function faultOf({ code, stderr }: { code?: string; stderr: Buffer | null }, revision?: string) {
  if (code === "ENOENT") return new DiffInputError("git is not installed, and revisions need it");
  if (code === "ENOBUFS") return new DiffInputError(`git: more than ${MAX_OUTPUT_BYTES} bytes of files`);
  const reason = String(stderr).trim();
  if (reason === "" && revision !== undefined)
    return new DiffInputError(`unknown git revision "${revision}"`);
  return new DiffInputError(`git: ${reason.replace(/^fatal: /, "")}`);
}
