import type { TargetTemplate, Text, TextPart } from "../model/plan.js";
import { Code, code, joinCode } from "../plugin/code.js";
import type { JoinedPart } from "../plugin/definition.js";
import { type FoundVariable, findVariable, hasLines } from "../variables/variable.js";
import { readVariable } from "./phase-locals.js";
import { printLiteral, printTemplatePart } from "./printers.js";
import type { ModuleScope } from "./scope.js";

/** Code of a variable in a record, which masks credentials. */
function readShown(found: FoundVariable): Code {
  const { variable, parameter } = found;
  const read = readVariable(found);
  if (variable.masked === undefined) return read;
  const first = new Code(parameter === undefined ? "" : `${printLiteral(parameter)}, `);
  return code`shown.${new Code(variable.masked)}(${first}${read})`;
}

const EMPTY_TEXT = new Code('""');

/** Variables that are already percent-encoded. */
const ENCODED = /^(?:args|query_string|request_uri|real_request_uri)$/;
/** Normalized path and its parts: percent-encoded, without query. Captures are parts of it too. */
const OF_PATH = /^(?:uri|uri_param_.*)$/;

/**
 * Prints a header value. The list of headers percent-encodes bytes that would break the line (CR as %0D), as
 * OpenResty does.
 */
function fieldValueCode(text: Text, scope: ModuleScope): Code {
  return textCode(text, scope, (part) => rawPart(part, scope, scope.read), "headerValue");
}

/**
 * Prints a header value, or a list of values if it reads a header whose lines are never joined: one value for
 * each line. Only the first such variable gives a list; others give texts.
 */
export function fieldValuesCode(text: Text, scope: ModuleScope): Code {
  const at = text.findIndex((part) => linesCode(part) !== undefined);
  const part = text[at];
  const lines = part && linesCode(part);
  if (part === undefined || lines === undefined) return fieldValueCode(text, scope);
  const fallback = "variable" in part ? part.fallback : undefined;
  if (text.length === 1 && fallback === undefined) return lines;
  const before = fieldValueCode(text.slice(0, at), scope);
  const after = fieldValueCode(text.slice(at + 1), scope);
  const absent = fallback === undefined ? [] : [scope.bytes(fallback)];
  return code`${scope.imported("wrappedLines")}(${joinCode([before, lines, after, ...absent], ", ")})`;
}

/** Code that reads the lines of a header that is never joined. */
function linesCode(part: TextPart): Code | undefined {
  const found = "variable" in part ? findVariable(part.variable) : undefined;
  if (found === undefined || !hasLines(found)) return undefined;
  const { lines } = found.variable;
  return lines === undefined
    ? undefined
    : new Code(lines.replace("%", () => printLiteral(found.parameter ?? "")));
}

/** Prints a request target; see `PluginPrinter.target`. */
export function targetCode({ path, query }: TargetTemplate, raw: boolean, scope: ModuleScope): Code {
  const encode =
    (place: "path" | "query") =>
    (part: TextPart): JoinedPart => {
      if ("literal" in part) return { part };
      const encoded = "variable" in part && ENCODED.test(part.variable);
      const ofPath = "capture" in part || OF_PATH.test(part.variable);
      const inPath = encoded || ofPath ? "escapedPathText" : "pathText";
      const inQuery = encoded ? "rawText" : ofPath ? "escapedQueryText" : "queryText";
      return { part, convert: scope.imported(raw ? "rawText" : place === "path" ? inPath : inQuery) };
    };
  const mark = query === null ? [] : [{ part: { literal: "?" } }];
  return joinedCode([...path.map(encode("path")), ...mark, ...(query ?? []).map(encode("query"))], scope);
}

/** See `PluginPrinter.joined`. */
export function joinedCode(parts: readonly JoinedPart[], scope: ModuleScope): Code {
  const byPart = new Map(parts.map((one) => [one.part, one]));
  const text = parts.map(({ part }) => part);
  return textCode(text, scope, (part) => {
    const { convert, value } = byPart.get(part) ?? {};
    if (convert === undefined) return rawPart(part, scope, scope.read);
    return { code: code`${convert}(${value ?? bare(part, scope)})`, text: true };
  });
}

/** Expression for one part; `text` is true if its type is certainly string. */
interface Piece {
  code: Code;
  text: boolean;
}

/** @param name name of constants for texts that are not ASCII */
function textCode(text: Text, scope: ModuleScope, piece: (part: TextPart) => Piece, name?: string): Code {
  const merged = mergeLiterals(text);
  const [only] = merged;
  if (only === undefined) return new Code('""');
  if (merged.length === 1) {
    if ("literal" in only) return scope.bytes(only.literal, name);
    const { code: value, text: isText } = piece(only);
    return isText ? value : code`String(${value})`;
  }
  const inside = merged.map((part) => {
    if (!("literal" in part)) return code`\${${piece(part).code}}`;
    if (/^[\0-\x7f]*$/.test(part.literal)) return new Code(printTemplatePart(part.literal));
    return code`\${${scope.bytes(part.literal, name)}}`;
  });
  return code`\`${joinCode(inside, "")}\``;
}

function mergeLiterals(text: Text): TextPart[] {
  const merged: TextPart[] = [];
  for (const part of text) {
    const last = merged.at(-1);
    if ("literal" in part && last !== undefined && "literal" in last) {
      merged[merged.length - 1] = { literal: last.literal + part.literal };
    } else if (!("literal" in part) || part.literal !== "" || text.length === 1) merged.push(part);
  }
  return merged;
}

/** Prints the value as text; an absent one becomes its fallback or "". */
function rawPart(part: TextPart, scope: ModuleScope, read = readVariable): Piece {
  if ("literal" in part) return { code: scope.bytes(part.literal), text: true };
  if ("capture" in part) return { code: new Code(`found?.[${part.capture}] ?? ""`), text: true };
  const found = findVariable(part.variable);
  if (found === undefined) return { code: EMPTY_TEXT, text: true };
  const { optional, type } = found.variable;
  const fallback = part.fallback === undefined ? EMPTY_TEXT : scope.bytes(part.fallback);
  const value = read(found);
  const isText = type === "text" && !readVariable(found).text.startsWith("x.variable(");
  const certain = !optional || scope.isPresent(value);
  return { code: certain ? value : code`${value} ?? ${fallback}`, text: isText };
}

/** Prints the value unchanged, possibly undefined; for captures, the match is known to exist. */
function bare(part: TextPart, scope: ModuleScope): Code {
  if ("literal" in part) return scope.bytes(part.literal);
  if ("capture" in part) return new Code(`found[${part.capture}]`);
  const found = findVariable(part.variable);
  if (found === undefined) return EMPTY_TEXT;
  return withFallback(scope.read(found), found, part.fallback, scope);
}

/**
 * Prints a text unchanged, for a value that is no header and no target. Absent variables become their
 * fallback or "".
 */
export function plainText(text: Text, scope: ModuleScope): Code {
  return textCode(text, scope, (part) => rawPart(part, scope));
}

/** Prints a text like `plainText`, with credentials masked, for a record. */
export function shownText(text: Text, scope: ModuleScope): Code {
  return textCode(text, scope, (part) => rawPart(part, scope, readShown));
}

/** Prints one variable as a text; undefined if it is absent without a fallback. */
export function bareVariable(name: string, fallback: string | undefined, scope: ModuleScope): Code {
  const found = findVariable(name);
  if (found === undefined) return new Code("undefined");
  const { type, optional } = found.variable;
  const value = readVariable(found);
  const isText = type === "text" && !value.text.startsWith("x.variable(");
  const text = isText ? value : optional ? code`${value}?.toString()` : code`String(${value})`;
  return withFallback(text, found, fallback, scope);
}

/** Prints one variable in a record, with its type. */
export function shownVariable(name: string, fallback: string | undefined, scope: ModuleScope): Code {
  const found = findVariable(name);
  return found === undefined ? new Code("undefined") : withFallback(readShown(found), found, fallback, scope);
}

function withFallback(
  value: Code,
  { variable }: FoundVariable,
  fallback: string | undefined,
  scope: ModuleScope,
): Code {
  const certain = fallback === undefined || !variable.optional || scope.isPresent(value);
  return certain ? value : code`${value} ?? ${scope.bytes(fallback)}`;
}
