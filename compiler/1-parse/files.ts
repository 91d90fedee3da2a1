import { readdirSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { readRegularFile, readRegularText, unreadableReason } from "../../runtime/abi/regular-file.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { MAX_SOURCE, type SourceText } from "../model/source.js";
import { Lines } from "./spans.js";

const FORMATS: Readonly<Record<string, SourceText["format"]>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
};

/** File tree by absolute paths. Its methods throw errors with a `code` of the file system. */
export interface FileTree {
  isDirectory(path: string): boolean;
  names(directory: string): string[];
  /** @throws UnreadableFileError with the reason */
  read(path: string, maxBytes: number): Buffer;
  /** `gwc build` wrote it: its JSON files are no configuration. */
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

export const PARTS_FOLDER = "conf.d";

export const isSourceName = (name: string): boolean =>
  FORMATS[extname(name)] !== undefined && !name.startsWith(".");

/**
 * A directory means the configuration files in it and in its `conf.d`, sorted by name. A file named twice is
 * read once. Never throws; an unreadable file gives a diagnostic.
 * @param directory base of relative paths and of the names in diagnostics
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

/** Files of `conf.d` belong to the configuration wherever gwc runs, inside of the directory or outside. */
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

/** More bytes always exceed the maximum characters. */
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
  // A byte order mark does not count as a character of the first line, as in editors.
  const format = FORMATS[extname(full)] ?? "yaml";
  return { name, text: text.replace(/^\ufeff/, ""), format, folder: dirname(full) };
}

/** Offset of the first replacement character that is not in the bytes. */
function firstDifference(text: string, bytes: Buffer): number {
  let offset = text.indexOf("\ufffd");
  while (offset !== -1) {
    const before = Buffer.byteLength(text.slice(0, offset), "utf8");
    if (!bytes.subarray(before, before + 3).equals(Buffer.from("\ufffd", "utf8"))) return offset;
    offset = text.indexOf("\ufffd", offset + 1);
  }
  return 0;
}

/** Name for diagnostics: relative to the working directory, with "/" on every system. */
function shownName(full: string, directory: string): string {
  const name = relative(directory, full);
  return (name.startsWith("..") ? full : name).split(sep).join("/");
}
