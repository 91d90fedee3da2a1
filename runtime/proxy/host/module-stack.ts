import type { ModulePosition } from "../../abi/source-map.js";
import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * Maps lines of generated modules to the configuration. The compiler writes a source comment with the config
 * path above each statement, and that of the whole module in its head.
 */

/** Source comment, such as `// routes/shop plugins.response-rewrite.filters[0], global`. */
const NOTE = /^\s*\/\/ ([a-z_]+\/\S+ (?:[\w$-]|\.(?=\w)|\[\d+\]|\["(?:[^"\\]|\\.)*"\])+)/;
/** First line, such as `// Compiled by gwc 0.2.0 from routes/shop, plan 1f96c9bf. …`. */
const HEAD = /^\/\/ Compiled by gwc \S+ from ([a-z_]+\/\S+), plan /;
/** Prefix of a config path: "services/shop plugins.key-auth". */
export const PLUGIN = /^\S+ plugins(?:\.([\w$-]+)|\["((?:[^"\\]|\\.)*)"\])/;

/** Maximum bytes of the stack and of the message in a log line, as JSON: the line stays below 8 kB. */
const STACK_BYTES = 6_000;
const MESSAGE_BYTES = 1_200;

interface Text {
  file: string;
  /** File name of its code in stack frames. */
  compiledAs: string;
  originAt(line: number): Origin | undefined;
}

/** Module that runs the code of another one. */
export interface SharedModule {
  exports: unknown;
  compiledAs: string;
  /** Config path of the module, such as "routes/shop". */
  address: string;
  /** Source comments after their line numbers, with `WHOLE` for the config path; equal ones share one string. */
  notes: string;
}

/** Placeholder for the module's config path in `notes`. */
export const WHOLE = "\0";

/** Config path and the position in the module made of it; the module does not know the source file and line. */
export interface FailedPart extends ModulePosition {
  origin: string;
}

export interface Failure {
  fields: Record<string, unknown>;
  /** Parts that the fields name; the one that threw is first. */
  parts: FailedPart[];
}

interface Origin {
  /** Config path, such as "routes/shop plugins.response-rewrite.filters[0]". */
  at: string;
  plugin: string | undefined;
}

const texts = new WeakMap<object, Text>();

/** @param code V8's own copy, as long as the module lives */
export function registerModuleCode(module: object, file: string, code: string): void {
  texts.set(module, { file, compiledAs: file, originAt: (line) => configPathAt(code, line) });
}

/** Registers a module that runs the code of another one: it keeps only the source comments of its text. */
export function registerSourceComments(
  module: object,
  file: string,
  { compiledAs, address, notes }: SharedModule,
): void {
  texts.set(module, { file, compiledAs, originAt: (line) => originIn(notes, address, line) });
}

/** Registers a module that represents another one. */
export function registerAlias(module: object, other: object): void {
  const text = texts.get(other);
  if (text !== undefined) texts.set(module, text);
}

/** Returns the config path that a module's code runs for, by the innermost of its frames in a stack. */
export function runningPart(module: object, stack: string): string | undefined {
  const text = texts.get(module);
  if (text === undefined) return undefined;
  for (const frame of stack.split("\n")) {
    const found = placeIn(frame, [text]);
    if (found !== undefined) return found.origin.at;
  }
  return undefined;
}

export const addressOfHead = (comment: string): string | undefined => HEAD.exec(comment)?.[1];
export const isNote = (comment: string): boolean => NOTE.test(comment);

/** Returns the config path of the last source comment at or above a line. */
export function configPathAt(code: string, line: number): Origin | undefined {
  const lines = code.split("\n");
  for (let n = Math.min(line, lines.length) - 1; n >= 0; n -= 1) {
    const [, at] = NOTE.exec(lines[n] ?? "") ?? [];
    if (at !== undefined) return { at, plugin: pluginOf(at) };
    const [, whole] = HEAD.exec(lines[n] ?? "") ?? [];
    if (whole !== undefined) return { at: whole, plugin: undefined };
  }
  return undefined;
}

/** `configPathAt` for source comments with their line numbers. */
function originIn(notes: string, address: string, line: number): Origin | undefined {
  const above = notes.split("\n").filter((note) => note !== "" && Number.parseInt(note, 10) <= line);
  const note = above.at(-1)?.replace(/^\d+ /, "").replace(WHOLE, address);
  return (note === undefined ? undefined : configPathAt(note, 1)) ?? { at: address, plugin: undefined };
}

export function pluginOf(origin: string): string | undefined {
  const [, bare, quoted] = PLUGIN.exec(origin) ?? [];
  return bare ?? quoted;
}

/** Describes an error that a phase of a generated module threw. */
export function failureOf(x: GatewayExchange, error: unknown): Failure {
  if (!(error instanceof Error)) return { fields: {}, parts: [] };
  const modules = modulesOf(x);
  const origins: (Origin & ModulePosition)[] = [];
  const frames = (error.stack ?? "").split("\n").filter((frame) => /^\s+at /.test(frame));
  const mapped = frames.map((frame) => {
    const found = placeIn(frame, modules);
    if (found === undefined) return frame.trim();
    const { file, line, column } = found;
    origins.push({ ...found.origin, file, line, column });
    return frame.trim().replace(found.said, () => `${found.origin.at}, ${found.place}`);
  });
  const [first] = origins;
  const fields = {
    reason: bounded(error.message, MESSAGE_BYTES),
    ...(first && { at_config: first.at, plugin: first.plugin }),
    stack: bounded(mapped.join("\n"), STACK_BYTES),
  };
  const parts = origins.map(({ at, file, line, column }) => ({ origin: at, file, line, column }));
  return { fields, parts };
}

function modulesOf({ route, generation }: GatewayExchange): Text[] {
  const loaded = [
    route?.module,
    ...generation.globalRules.map(({ module }) => module),
    ...generation.pluginMetadata.values(),
  ];
  return loaded.flatMap((module) => (module ? (texts.get(module) ?? []) : []));
}

function placeIn(frame: string, modules: readonly Text[]) {
  for (const { file, compiledAs, originAt } of modules) {
    const begin = frame.indexOf(`${compiledAs}:`);
    const behind = begin < 0 ? "" : frame.slice(begin + compiledAs.length);
    const [position, line, column] = /^:(\d+):(\d+)/.exec(behind) ?? [];
    const origin = line === undefined ? undefined : originAt(Number(line));
    if (origin === undefined) continue;
    return {
      /** Position as in the frame. */
      said: compiledAs + position,
      /** Position in the module, such as "routes/shop.js:12:5". */
      place: file + position,
      ...{ origin, file, line: Number(line) },
      // None for shared code: it has the same lines, but literals of other lengths.
      column: compiledAs === file ? Number(column) : undefined,
    };
  }
  return undefined;
}

/** Truncates a text so that its JSON has at most this many bytes. */
function bounded(text: string, bytes: number): string {
  let kept = text.slice(0, bytes);
  for (;;) {
    const size = Buffer.byteLength(JSON.stringify(kept));
    if (size <= bytes) return kept;
    kept = kept.slice(0, Math.floor((kept.length * bytes) / size));
  }
}
