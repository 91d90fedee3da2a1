import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type {
  Artifact,
  Delta,
  GlobalRuleRow,
  ModuleCode,
  PluginMetadataRow,
  RouterRow,
  UpstreamTable,
} from "../abi/generation.js";
import type { NamedBundle } from "../abi/plugin-bundle.js";
import { filledTables, type PluginTables } from "../abi/plugin-tables.js";
import type { FileRange } from "./messages.js";

/** The small parts of a generation, or of a delta, which omits unchanged ones. */
type Head = Pick<Delta, "abi" | "planHash" | "globalRules" | "pluginMetadata" | "tables">;

/**
 * The log begins with a complete generation in pieces (`begin` … `end`); each later one is a `delta` line. A
 * delta counts once a `commit` line or a delta on top of it follows, or the store has it as committed.
 */
export type LogLine =
  | (Omit<Artifact, "routes" | "upstreams" | "modules"> & {
      begin: number;
      /** Runtime code of packaged plugins, in files next to the log; absent in logs of earlier versions. */
      plugins?: readonly NamedBundle[];
      inputs?: string;
      secretNames?: readonly string[];
      policy?: string;
    })
  | { routes: RouterRow[] }
  | { upstreams: UpstreamTable[] }
  | { modules: ModuleCode[] }
  | { end: number }
  | { generation: number; base: number; delta: Delta }
  | { commit: number }
  /** Digest of the inputs, and of those that later writes led to; "": unknown. `policy` as in `GenerationContent`. */
  | { inputs: string; secretNames: readonly string[]; policy?: string }
  /** Resources ("routes/shop") stored or lost since the last line, so that a damaged store can report its losses. */
  | { stored: { put: string[]; remove: string[] } };

/** A complete generation, indexed by key so that a delta costs only as much as it changes. */
export class GenerationContent {
  number = 0;
  abi = 0;
  planHash = "";
  globalRules: GlobalRuleRow[] = [];
  pluginMetadata: PluginMetadataRow[] = [];
  /** Undefined if no plugin has a resource. */
  tables: PluginTables | undefined;
  /** Undefined if they were not recorded. */
  plugins: readonly NamedBundle[] | undefined;
  /** Hash of the inputs of the compile apart from the store; undefined if unknown. */
  inputs: string | undefined;
  /** Names of literal secrets in its modules; their values are in no file. */
  secretNames: readonly string[] = [];
  /** SHA-256 of the policy that it satisfies; undefined: no policy, unknown, or made by an earlier version. */
  policy: string | undefined;
  readonly routes = new Map<string, RouterRow>();
  readonly upstreams = new Map<string, UpstreamTable>();
  readonly modules = new Map<string, ModuleCode>();

  static of(number: number, artifact: Artifact): GenerationContent {
    const content = new GenerationContent();
    content.begin(number, artifact);
    content.add(artifact.routes, artifact.upstreams, artifact.modules);
    return content;
  }

  begin(number: number, head: Head): void {
    this.number = number;
    this.abi = head.abi;
    this.planHash = head.planHash;
    this.globalRules = head.globalRules ?? this.globalRules;
    this.pluginMetadata = head.pluginMetadata ?? this.pluginMetadata;
    if (head.tables) this.tables = filledTables({ ...this.tables, ...head.tables });
  }

  /** Returns the SHA-256 of a module by its file, "routes/shop.js". */
  hashOf(file: string): string | undefined {
    return [...this.modules.values()].find((module) => `${module.file}.js` === file)?.hash;
  }

  add(routes: RouterRow[], upstreams: UpstreamTable[], modules: ModuleCode[]): void {
    for (const row of routes) this.routes.set(row.id, row);
    for (const table of upstreams) this.upstreams.set(table.key, table);
    for (const module of modules) this.modules.set(module.moduleId, module);
  }

  apply(number: number, delta: Delta): void {
    this.begin(number, delta);
    for (const id of delta.routes.remove) this.routes.delete(id);
    for (const key of delta.upstreams.remove) this.upstreams.delete(key);
    for (const moduleId of delta.modules.remove) this.modules.delete(moduleId);
    this.add(delta.routes.put, delta.upstreams.put, delta.modules.put);
  }

  artifact(): Artifact {
    return {
      abi: this.abi,
      planHash: this.planHash,
      routes: [...this.routes.values()],
      upstreams: [...this.upstreams.values()],
      globalRules: this.globalRules,
      pluginMetadata: this.pluginMetadata,
      ...(this.tables && { tables: this.tables }),
      modules: [...this.modules.values()],
    };
  }
}

/** Reads a range of the log. @throws if the file is shorter or gone */
export function readRange({ file, offset, length }: FileRange): string {
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    while (at < length) {
      const read = readSync(fd, bytes, at, length - at, offset + at);
      if (read === 0) throw new Error(`${file} ends before byte ${offset + length}`);
      at += read;
    }
    return bytes.toString("utf8");
  } finally {
    closeSync(fd);
  }
}

/** Formats a line: its checksum, a blank, its JSON text. */
export function lineOf(line: LogLine): Buffer {
  const text = JSON.stringify(line);
  return Buffer.from(`${checksumOf(text)} ${text}\n`);
}

/** CRC-32 finds each flipped bit and each burst of up to 32. An attacker who writes the file could write it too. */
const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, "0");
const CHECKSUM = /^[0-9a-f]{8} /;

/** Yields the lines up to the first damaged or torn one (power loss): later ones are meaningless without it. */
export function* linesIn(text: string): Generator<LogLine> {
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const parsed = parsedLine(line);
    if (parsed === undefined) return;
    yield parsed;
  }
}

/** Reads a log line by line; lines appended later continue where it ended. */
export class GenerationReader {
  /** The last generation known to be committed. */
  readonly content = new GenerationContent();
  /** Set once its first generation is complete. */
  whole = false;
  #pending: { generation: number; delta: Delta } | undefined;

  read(line: LogLine): void {
    const { content } = this;
    if ("begin" in line) {
      content.begin(line.begin, line);
      content.plugins = line.plugins;
      content.inputs = line.inputs || undefined;
      content.secretNames = line.secretNames ?? [];
      content.policy = line.policy;
    } else if ("routes" in line) content.add(line.routes, [], []);
    else if ("upstreams" in line) content.add([], line.upstreams, []);
    else if ("modules" in line) content.add([], [], line.modules);
    else if ("end" in line) this.whole = line.end === content.number;
    else if ("delta" in line) {
      if (line.base !== content.number) this.accept(line.base);
      this.#pending = line;
    } else if ("commit" in line) this.accept(line.commit);
    else if ("inputs" in line) {
      content.inputs = line.inputs || undefined;
      content.secretNames = line.secretNames;
      content.policy = line.policy;
    }
  }

  /** Accepts a generation that was committed according to the store, but not to the log. */
  accept(generation: number): void {
    if (this.#pending?.generation === generation) this.content.apply(generation, this.#pending.delta);
  }
}

/**
 * @param committed generation that the store has as committed, if the store can be read
 * @throws Error if the log does not even contain its first generation
 */
export function contentOf(text: string, committed = 0): GenerationContent {
  const reader = new GenerationReader();
  for (const line of linesIn(text)) reader.read(line);
  if (!reader.whole) throw new Error("the saved generation is incomplete");
  if (committed > reader.content.number) reader.accept(committed);
  return reader.content;
}

/** @param line with a checksum, or without one from an earlier version */
function parsedLine(line: string): LogLine | undefined {
  try {
    if (line.startsWith("{")) return JSON.parse(line) as LogLine;
    const text = line.slice(9);
    return CHECKSUM.test(line) && line.startsWith(checksumOf(text))
      ? (JSON.parse(text) as LogLine)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error if the text is not exactly one delta */
export function deltaOf(text: string): Delta {
  const line = parsedLine(text.trimEnd());
  if (!line || !("delta" in line)) throw new Error("not a delta");
  return line.delta;
}
