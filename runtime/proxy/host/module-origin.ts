import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * Where a generated module comes from: the one place that maps its lines to the configuration. The compiler writes a note with
 * file, line and column above each statement, and the place of the whole in the head.
 */

/** `// shop.yaml:9:7 response-rewrite.filters[0], global` */
const NOTE = /^\s*\/\/ (\S.*?:\d+:\d+)(?: (.*))?$/;
/** `// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan 1f96c9bf. …` */
const HEAD = /^\/\/ Compiled by gwc \S+ from (\S.*?:\d+:\d+), plan /;
/** Notes that begin with a field of the route, not with a plugin. */
const FIELDS: ReadonlySet<string> = new Set(["vars"]);

/** Bytes of the stack and of the message in a log line, as JSON: the line stays below 8 kB. */
const STACK_BYTES = 6_000;
const MESSAGE_BYTES = 1_200;

interface Text {
  /** As frames of a stack name it. */
  file: string;
  code: string;
}

/** A place in the configuration. */
interface Origin {
  /** "shop.yaml:9:7" */
  at: string;
  plugin: string | undefined;
}

/** The text is V8's own copy as long as the module lives. */
const texts = new WeakMap<object, Text>();

/** @param file as `loadModule` names it to V8 */
export function rememberText(module: object, file: string, code: string): void {
  texts.set(module, { file, code });
}

/** The last note above a line. */
export function originOf(code: string, line: number): Origin | undefined {
  const lines = code.split("\n");
  for (let n = Math.min(line, lines.length) - 1; n >= 0; n -= 1) {
    const [, at, label = ""] = NOTE.exec(lines[n] ?? "") ?? [];
    if (at !== undefined) return { at, plugin: pluginOf(label) };
    const [, whole] = HEAD.exec(lines[n] ?? "") ?? [];
    if (whole !== undefined) return { at: whole, plugin: undefined };
  }
  return undefined;
}

function pluginOf(label: string): string | undefined {
  const [name] = /^[a-z][a-z0-9-]*/.exec(label) ?? [];
  return name === undefined || FIELDS.has(name) ? undefined : name;
}

/** What a log line tells of an error that a phase of a generated module threw. */
export function failureFields(x: GatewayExchange, error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return {};
  const modules = modulesOf(x);
  let first: Origin | undefined;
  const frames = (error.stack ?? "").split("\n").filter((frame) => /^\s+at /.test(frame));
  const mapped = frames.map((frame) => {
    const found = placeIn(frame, modules);
    if (found === undefined) return frame.trim();
    first ??= found.origin;
    return frame.trim().replace(found.place, `${shown(found.origin)}, ${found.place}`);
  });
  return {
    reason: bounded(error.message, MESSAGE_BYTES),
    ...(first && { at_config: first.at, plugin: first.plugin }),
    stack: bounded(mapped.join("\n"), STACK_BYTES),
  };
}

const shown = ({ at, plugin }: Origin) => (plugin === undefined ? at : `${at} ${plugin}`);

function modulesOf({ route, generation }: GatewayExchange): Text[] {
  const loaded = [
    route?.module,
    ...generation.globalRules.map(({ module }) => module),
    ...generation.pluginMetadata.values(),
  ];
  return loaded.flatMap((module) => (module ? (texts.get(module) ?? []) : []));
}

function placeIn(frame: string, modules: readonly Text[]): { place: string; origin: Origin } | undefined {
  for (const { file, code } of modules) {
    const begin = frame.indexOf(`${file}:`);
    const [position, line] = begin < 0 ? [] : (/^:(\d+):\d+/.exec(frame.slice(begin + file.length)) ?? []);
    const origin = line === undefined ? undefined : originOf(code, Number(line));
    if (origin !== undefined) return { place: file + position, origin };
  }
  return undefined;
}

/** A text whose JSON has at most so many bytes. */
function bounded(text: string, bytes: number): string {
  let kept = text.slice(0, bytes);
  for (;;) {
    const size = Buffer.byteLength(JSON.stringify(kept));
    if (size <= bytes) return kept;
    kept = kept.slice(0, Math.floor((kept.length * bytes) / size));
  }
}
