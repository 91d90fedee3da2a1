import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve, sep } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { Lines } from "./lines.js";
import { MAX_SOURCE, type SourceText } from "./source.js";

const FORMATS: Readonly<Record<string, SourceText["format"]>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".json": "json",
};

/**
 * Reads what the command line names: files, and directories, which stand for the configuration files directly in them,
 * sorted by name. A file named twice is read once. Never throws; what cannot be read is a finding.
 * @param directory what relative paths, and the names in findings, are relative to
 */
export function readSources(
  paths: readonly string[],
  directory: string = process.cwd(),
): { sources: SourceText[]; diagnostics: Diagnostic[] } {
  const sources: SourceText[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const file of filesOf(path, directory, diagnostics)) {
      const full = resolve(directory, file);
      if (seen.has(full)) continue;
      seen.add(full);
      const source = readSource(full, shownName(full, directory), diagnostics);
      if (source !== undefined) sources.push(source);
    }
  }
  return { sources, diagnostics };
}

function filesOf(path: string, directory: string, diagnostics: Diagnostic[]): string[] {
  const full = resolve(directory, path);
  const refuse = (code: string, reason = "") => {
    diagnostics.push(diagnostic(code, undefined, { path, reason }));
    return [];
  };
  try {
    if (!statSync(full).isDirectory()) return FORMATS[extname(full)] ? [path] : refuse("GW1033");
    const names = readdirSync(full, { withFileTypes: true })
      .filter((entry) => FORMATS[extname(entry.name)] && !entry.name.startsWith(".") && !entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
    if (names.includes("manifest.json") && isBuild(full)) return refuse("GW1035");
    return names.length === 0 ? refuse("GW1034") : names.map((name) => join(path, name));
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? refuse("GW1030") : refuse("GW1031", code ?? "unknown");
  }
}

/** What `gwc build` wrote: its JSON files are no configuration. */
function isBuild(directory: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"));
    return (manifest as { generator?: unknown } | null)?.generator === "gwc";
  } catch {
    return false;
  }
}

/** A text of more bytes has more characters than a source may have, whatever they are. */
const MAX_BYTES = 4 * MAX_SOURCE;

/** @throws Error with the reason as `code` */
function readBytes(full: string): Buffer {
  const stat = statSync(full);
  // Opening a pipe would wait for somebody to write to it.
  if (!stat.isFile()) throw Object.assign(new Error(), { code: "it is not a file" });
  if (stat.size > MAX_BYTES)
    throw Object.assign(new Error(), { code: `it has ${stat.size} bytes; ${MAX_BYTES} is the limit` });
  return readFileSync(full);
}

function readSource(full: string, name: string, diagnostics: Diagnostic[]): SourceText | undefined {
  let bytes: Buffer;
  try {
    bytes = readBytes(full);
  } catch (fault) {
    const reason = (fault as NodeJS.ErrnoException).code ?? "unknown";
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
