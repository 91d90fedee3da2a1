import type { Availability } from "../../runtime/abi/variables.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { ConfigPath, HeaderAction, Text } from "../model/plan.js";
import type { Path, Spans } from "../model/source.js";
import { parseText, reportAtReference } from "../variables/text.js";
import { findVariable, hasLines } from "../variables/variable.js";

/** Header as the configuration has it, before its name and texts are checked. */
export interface HeaderInput {
  name: string;
  values: readonly HeaderInputValue[];
  /** Path of the name. */
  path: Path;
}

export interface HeaderInputValue {
  text: string;
  path: Path;
  /** The whole value, if `text` is only its end ("Name: value"). */
  scalar?: string;
}

/** Headers by the action on them. */
export type HeaderInputs = Record<HeaderAction["action"], readonly HeaderInput[]>;

export interface HeaderContext {
  report(diagnostic: Diagnostic): void;
  origin(path: Path): ConfigPath;
  spans: Spans;
  now: Availability;
  /** "a request header" or "a response header". */
  place: string;
  /** Highest capture of regex_uri; undefined if there are none. */
  captures: number | undefined;
}

/** Headers that frame the message or belong to one connection, which only the HTTP layer writes. */
const FRAMING: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type HeaderMap = Readonly<Record<string, unknown>>;

/**
 * Reads the setting `headers`: `{add, remove, set}`, or the older flat map, which sets. A string under the key
 * "add" is a header of that name. Headers to add are a map or a list of "Name: value".
 */
export function readHeaders(headers: object): HeaderInputs {
  const map = headers as HeaderMap;
  const isGrouped = ["add", "remove", "set"].some((key) => typeof map[key] === "object");
  if (!isGrouped) return { add: [], remove: [], set: inputsOf(map, ["headers"]) };
  const {
    add = [],
    remove = [],
    set = {},
  } = map as {
    add?: HeaderMap | string[];
    remove?: string[];
    set?: HeaderMap;
  };
  return {
    add: Array.isArray(add) ? add.map(inputOfLine) : inputsOf(add, ["headers", "add"]),
    remove: remove.map((name, i) => ({ name, values: [], path: ["headers", "remove", i] })),
    set: inputsOf(set, ["headers", "set"]),
  };
}

function inputsOf(map: HeaderMap, at: Path): HeaderInput[] {
  return Object.entries(map).map(([name, value]) => {
    const path = [...at, name];
    const values = Array.isArray(value)
      ? value.map((text, i) => ({ text: String(text), path: [...path, i] }))
      : [{ text: String(value), path }];
    return { name, values, path };
  });
}

/** The value behind the first colon may contain more (reference 13, row 4). */
function inputOfLine(line: string, index: number): HeaderInput {
  const path = ["headers", "add", index];
  const colon = line.indexOf(":");
  const value = { text: line.slice(colon + 1), path, scalar: line };
  return { name: line.slice(0, colon).trim(), values: [value], path };
}

/** Checks what the schema cannot, and orders the actions as the specification does: add, remove, set. */
export function planHeaderActions(fields: Readonly<HeaderInputs>, context: HeaderContext): HeaderAction[] {
  reportConflicts(fields, context);
  const plan = (action: HeaderAction["action"], written: readonly HeaderInput[]): HeaderAction[] =>
    written.flatMap((field) => {
      if (!checkName(field, context)) return [];
      const values = field.values.map((value) => planValue(value, context));
      return [{ action, name: field.name, values, origin: context.origin(field.path) }];
    });
  return plan("add", fields.add).concat(plan("remove", fields.remove), plan("set", fields.set));
}

/**
 * Returns the span of a header's name: a key, an item of a list or, in settings of a package's plugin, a
 * value.
 */
function placeOfName({ name, path }: HeaderInput, spans: Spans): Span {
  return path.at(-1) === name ? spans.key(path) : spans.value(path);
}

/** Returns false for a header that no action can change. */
function checkName(field: HeaderInput, context: HeaderContext): boolean {
  const { name } = field;
  const at = placeOfName(field, context.spans);
  if (FRAMING.has(name.toLowerCase())) {
    context.report(diagnostic("GW4034", at, { name }));
    return false;
  }
  return true;
}

/** Spaces around a value are not part of it (RFC 9110 section 5.5). */
function planValue({ text, path, scalar = text }: HeaderInputValue, context: HeaderContext): Text {
  const value = text.replace(/^[ \t]+/, "");
  const start = scalar.length - value.length;
  const report = reportAtReference(scalar, start, context.spans.value(path), context.report);
  const parts = parseText(value.replace(/[ \t]+$/, ""), context, report);
  const [first, name] = parts.flatMap((part) =>
    "variable" in part && isOfLines(part.variable) ? part.variable : [],
  );
  if (first !== undefined && name !== undefined)
    context.report(diagnostic("GW4209", context.spans.value(path), { first, name }));
  return parts;
}

function isOfLines(name: string): boolean {
  const found = findVariable(name);
  return found !== undefined && hasLines(found);
}

/** Reports actions on one header that undo each other, and one header set twice under two spellings. */
function reportConflicts(fields: Readonly<HeaderInputs>, context: HeaderContext): void {
  const lower = (field: HeaderInput): string => field.name.toLowerCase();
  const note = (field: HeaderInput, message: string) => ({
    message,
    span: placeOfName(field, context.spans),
  });
  const firsts = (list: readonly HeaderInput[]) =>
    new Map(list.toReversed().map((field) => [lower(field), field]));
  const [removes, sets, adds] = [firsts(fields.remove), firsts(fields.set), firsts(fields.add)];
  for (const field of fields.remove) {
    const first = removes.get(lower(field));
    if (first === undefined || first === field) continue;
    const notes = [note(first, `"${first.name}" is removed here first`)];
    context.report(diagnostic("GW4037", placeOfName(field, context.spans), { name: field.name }, { notes }));
  }
  for (const removed of fields.remove) {
    const at = placeOfName(removed, context.spans);
    const set = sets.get(lower(removed));
    const added = adds.get(lower(removed));
    if (set !== undefined) {
      const notes = [note(set, `"${set.name}" is set here`)];
      context.report(diagnostic("GW4032", at, { name: removed.name }, { notes }));
    } else if (added !== undefined) {
      const notes = [note(added, `"${added.name}" is added here`)];
      context.report(diagnostic("GW4035", at, { name: removed.name }, { notes }));
    }
  }
  for (const added of fields.add) {
    const set = sets.get(lower(added));
    // A removal between the two has its own diagnostic.
    if (set === undefined || removes.has(lower(added))) continue;
    const notes = [note(set, `"${set.name}" is set here`)];
    context.report(diagnostic("GW4036", placeOfName(added, context.spans), { name: added.name }, { notes }));
  }
  for (const field of fields.set) {
    const first = sets.get(lower(field));
    if (first === undefined || first === field) continue;
    const notes = [note(first, `"${first.name}" is set here first`)];
    context.report(diagnostic("GW4033", placeOfName(field, context.spans), { name: field.name }, { notes }));
  }
}
