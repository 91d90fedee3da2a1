import { readdirSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { readRegularFile, readRegularText, unreadableReason } from "../../runtime/abi/regular-file.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { Lines } from "./lines.js";
import { MAX_SOURCE, type SourceText } from "./source.js";

const FORMATS: Readonly<Record<string, SourceText["format"]>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
};

/** Tree of files that sources are read from, by absolute paths. Its methods throw errors whose `code` is that of the file system. */
export interface FileTree {
  isDirectory(path: string): boolean;
  /** Names of the files directly in a directory. */
  names(directory: string): string[];
  /** @throws UnreadableFileError, with the reason */
  read(path: string, maxBytes: number): Buffer;
  /** Reports whether `gwc build` wrote a directory: its JSON files are no configuration. */
  isBuild(directory: string): boolean;
}

const DISK: FileTree = {
  isDirectory: (path) => statSync(path).isDirectory(),
  names: (directory) =>
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name),
  read: readRegularFile,
  isBuild(directory) {
    try {
      const manifest: unknown = JSON.parse(readRegularText(join(directory, MANIFEST)));
      return (manifest as { generator?: unknown } | null)?.generator === "gwc";
    } catch {
      return false;
    }
  },
};

/** Folder of a configuration's further files. */
export const PARTS_FOLDER = "conf.d";

/** Reports whether the name of a file is one of a configuration in a directory. */
export const isSourceName = (name: string): boolean =>
  FORMATS[extname(name)] !== undefined && !name.startsWith(".");

/**
 * Reads what the command line names: files, and directories, which stand for the configuration files directly in them and in their
 * `conf.d`, sorted by name. A file named twice is read once. Never throws; what cannot be read is a finding.
 * @param directory what relative paths, and the names in findings, are relative to
 */
export function readSources(
  paths: readonly string[],
  directory: string = process.cwd(),
  tree: FileTree = DISK,
): { sources: SourceText[]; diagnostics: Diagnostic[] } {
  const sources: SourceText[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const file of filesOf(path, directory, tree, diagnostics)) {
      const full = resolve(directory, file);
      if (seen.has(full)) continue;
      seen.add(full);
      const source = readSource(full, shownName(full, directory), tree, diagnostics);
      if (source !== undefined) sources.push(source);
    }
  }
  return { sources, diagnostics };
}

function filesOf(path: string, directory: string, tree: FileTree, diagnostics: Diagnostic[]): string[] {
  const full = resolve(directory, path);
  const refuse = (code: string, reason = "") => {
    diagnostics.push(diagnostic(code, undefined, { path, reason }));
    return [];
  };
  try {
    if (!tree.isDirectory(full)) return FORMATS[extname(full)] ? [path] : refuse("GW1033");
    const names = sourcesIn(full, tree);
    if (names.includes(MANIFEST) && tree.isBuild(full)) return refuse("GW1035");
    const all = [...names, ...partsIn(full, tree)];
    return all.length === 0 ? refuse("GW1034") : all.map((name) => join(path, name));
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? refuse("GW1030") : refuse("GW1031", code ?? "unknown");
  }
}

const sourcesIn = (full: string, tree: FileTree): string[] => tree.names(full).filter(isSourceName).sort();

/** Files of `conf.d` in a directory: its configuration is read alike from inside, where nothing is named, and from outside. */
function partsIn(full: string, tree: FileTree): string[] {
  const folder = join(full, PARTS_FOLDER);
  try {
    return tree.isDirectory(folder) ? sourcesIn(folder, tree).map((name) => join(PARTS_FOLDER, name)) : [];
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw fault;
  }
}

/** A text of more bytes has more characters than a source may have, whatever they are. */
const MAX_BYTES = 4 * MAX_SOURCE;

function readSource(
  full: string,
  name: string,
  tree: FileTree,
  diagnostics: Diagnostic[],
): SourceText | undefined {
  let bytes: Buffer;
  try {
    bytes = tree.read(full, MAX_BYTES);
  } catch (fault) {
    const reason = unreadableReason(fault);
    diagnostics.push(diagnostic("GW1031", undefined, { path: name, reason }));
    return undefined;
  }
  const text = bytes.toString("utf8");
  const bad = text.indexOf("\ufffd");
  if (bad !== -1 && !Buffer.from(text, "utf8").equals(bytes)) {
    const at = new Lines(text).at(firstDifference(text, bytes));
    diagnostics.push(diagnostic("GW1032", { file: name, start: at, end: at }));
    return undefined;
  }
  // A byte order mark is no character of the first line: editors do not count it.
  const format = FORMATS[extname(full)] ?? "yaml";
  return { name, text: text.replace(/^\ufeff/, ""), format, folder: dirname(full) };
}

/** Offset in the text of the first replacement character that the bytes do not hold. */
function firstDifference(text: string, bytes: Buffer): number {
  let offset = text.indexOf("\ufffd");
  while (offset !== -1) {
    const before = Buffer.byteLength(text.slice(0, offset), "utf8");
    if (!bytes.subarray(before, before + 3).equals(Buffer.from("\ufffd", "utf8"))) return offset;
    offset = text.indexOf("\ufffd", offset + 1);
  }
  return 0;
}

/** Findings name files relative to the working directory, with "/" on every system. */
function shownName(full: string, directory: string): string {
  const name = relative(directory, full);
  return (name.startsWith("..") ? full : name).split(sep).join("/");
}
