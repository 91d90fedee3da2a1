import { RUNTIME_EXPORTS } from "../../runtime/abi/runtime-exports.js";
import { VARIABLES } from "../../runtime/abi/variables.js";
import { findPlugin, plugins } from "../plugin/registry.js";
import { type Token, tokenize } from "./tokens.js";

/** Words of the language that generated code uses; every other keyword is refused as a foreign name. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "const",
  "let",
  "return",
  "if",
  "else",
  "await",
  "null",
  "true",
  "false",
]);
const GLOBALS: ReadonlySet<string> = new Set(["undefined", "String"]);
/** Parameters of phases, of body filters and of records. */
const PARAMETERS: ReadonlySet<string> = new Set(["x", "_", "text", "groups", "shown"]);
/** Members of the exchange and of texts; those that read variables come from the table. */
const MEMBERS: ReadonlySet<string> = new Set([
  ..."append apply askForWhole captures consumerName delete exec filterBody find get getAll has headers host method names prepend replace".split(
    " ",
  ),
  ..."replaceBody request respond response set status target test uri requestUri upstream verbatim".split(
    " ",
  ),
  "toString",
  // Of what a record may show.
  ...VARIABLES.flatMap(({ masked }) => masked ?? []),
  ...VARIABLES.flatMap((variable) => variable.code.match(/(?<=\.)\w+/g) ?? []),
]);
/** Phases: the only functions with a name. */
const METHODS: ReadonlySet<string> = new Set("match rewrite access headerFilter acknowledge log".split(" "));

/**
 * Refuses loadable text that names anything beyond the runtime's surface: `vm.compileFunction` is no sandbox, so what is
 * loaded must not be able to reach the process.
 * @returns the first reason to refuse, with its line, or null
 */
export function refuseForeignNames(code: string): string | null {
  const tokens = tokenize(code);
  const known = new Set<string>([...KEYWORDS, ...GLOBALS, ...PARAMETERS, ...declared(tokens)]);
  const start = readImports(tokens, known);
  if (typeof start === "string") return start;
  for (let i = start; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    const reason = token.kind === "word" ? refuseWord(tokens, i, known) : refuseMark(tokens, i);
    if (reason !== null) return `line ${token.line}: ${reason}`;
  }
  return null;
}

/** What a module gives to generated code; undefined for one that it may not load. */
function surfaceOf(module: string): readonly string[] | undefined {
  if (Object.hasOwn(RUNTIME_EXPORTS, module)) return RUNTIME_EXPORTS[module];
  const plugin = /^gwc\/plugins\/(.+)$/.exec(module)?.[1];
  const calls = plugin === undefined ? undefined : findPlugin(plugin)?.calls;
  return calls && Object.keys(calls);
}

function isMemberOfCall(name: string): boolean {
  return plugins().some(({ calls = {} }) => Object.values(calls).some((members) => members.includes(name)));
}

/** A declaration of one of these in some inner block would make the outer one look known. */
const OUTER: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  "require",
  "module",
  "exports",
]);

/** `const a`, `let a`, `const { headers }`: what the text itself names. */
function declared(tokens: readonly Token[]): string[] {
  const names = tokens.flatMap((token, i) => {
    if (token.text !== "const" && token.text !== "let") return [];
    const next = tokens[i + 1];
    if (next?.kind === "word") return [next.text];
    const inBraces = tokens[i + 2];
    return inBraces?.text === "headers" && tokens[i + 3]?.text === "}" ? ["headers"] : [];
  });
  return names.filter((name) => !OUTER.has(name));
}

/** `const { a, b } = require("gwc/runtime");` at the beginning; returns the index after it, or a reason to refuse. */
function readImports(tokens: readonly Token[], known: Set<string>): number | string {
  let i = 0;
  while (tokens[i]?.text === "const" && tokens[i + 1]?.text === "{") {
    const end = tokens.findIndex((token, at) => at > i && token.text === "}");
    const names = tokens.slice(i + 2, end).filter((token) => token.text !== ",");
    const module = tokens[end + 4];
    if (tokens[end + 2]?.text !== "require" || module?.kind !== "string") break;
    const surface = surfaceOf(module.text.slice(1, -1));
    if (surface === undefined)
      return `line ${module.line}: module ${module.text} is not part of the runtime's surface`;
    const foreign = names.find((token) => !surface.includes(token.text));
    if (foreign !== undefined) return `line ${foreign.line}: ${module.text} has no "${foreign.text}"`;
    for (const token of names) known.add(token.text);
    i = end + 7;
  }
  return i;
}

function refuseWord(tokens: readonly Token[], i: number, known: ReadonlySet<string>): string | null {
  const name = tokens[i]?.text ?? "";
  const before = tokens[i - 1]?.text;
  const after = tokens[i + 1]?.text;
  if (before === "." || before === "?.") {
    return MEMBERS.has(name) ||
      isMemberOfCall(name) ||
      (name === "exports" && tokens[i - 2]?.text === "module")
      ? null
      : `member "${name}" is not part of the exchange`;
  }
  const begins = (mark: string | undefined) => mark === "{" || mark === ",";
  if (name === "async" && begins(before) && isMethod(tokens, i + 1)) return null;
  const first = begins(before) || (before === "async" && begins(tokens[i - 2]?.text));
  // Records have keys of the operator's choice. A key reaches nothing, but for the one that sets the prototype.
  if (first && after === ":") return name === "__proto__" ? `key "${name}" is not data` : null;
  if (first && !KEYWORDS.has(name) && isMethod(tokens, i))
    return METHODS.has(name) ? null : `function "${name}" is not a phase`;
  if (name === "module") {
    return after === "." && tokens[i + 2]?.text === "exports" && tokens[i + 3]?.text === "="
      ? null
      : '"module" is used for more than its export';
  }
  return known.has(name) ? null : `name "${name}" is not part of the runtime's surface`;
}

/** `name(x) {` or `name() {` inside an object literal. */
function isMethod(tokens: readonly Token[], i: number): boolean {
  const close = tokens[i + 2]?.text === ")" ? i + 2 : i + 3;
  return tokens[i + 1]?.text === "(" && tokens[close]?.text === ")" && tokens[close + 1]?.text === "{";
}

/** After these a "[" begins a list or a key; after anything else it reaches into a value. */
const BEFORE_LIST: ReadonlySet<string> = new Set(["(", ",", "[", "=", ":", "{"]);

/** Members by index are numbers; nothing is left that the tokenizer does not know. */
function refuseMark(tokens: readonly Token[], i: number): string | null {
  const token = tokens[i];
  if (token?.kind === "unknown") return `unexpected ${JSON.stringify(token.text.slice(0, 20))}`;
  if (token?.kind !== "mark" || token.text !== "[") return null;
  if (BEFORE_LIST.has(tokens[i - 1]?.text ?? "")) return null;
  const indexed = tokens[i + 1]?.kind === "number" && tokens[i + 2]?.text === "]";
  return indexed ? null : "a member is computed";
}
