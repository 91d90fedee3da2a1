import { backReferences, repetitionDifferences } from "./analyse/differences.js";
import { AnalysisCache } from "./analysis-cache.js";
import { children, groupBodies, type Node, referenced } from "./ast.js";
import { type ParsedOptions, parseOptions } from "./options.js";
import { Cursor } from "./parse/cursor.js";
import { parsePattern } from "./parse/pattern.js";
import { printPattern } from "./print.js";
import { RegexError } from "./regex-error.js";

/**
 * PCRE2 (10.42, as lua-nginx-module compiles it) to JavaScript, exactly or not at all.
 * Without option `u` the subject is a byte string, one character a byte; with it, decoded text.
 * @param options letters of reference section 5.5
 * @param use aspects that may be inexact because they are not used
 */
export function translateRegex(
  pattern: string,
  options: string,
  use: TranslationOptions = {},
): RegexTranslation {
  const key = JSON.stringify([options, use.scope, use.captures, pattern]);
  return translations.get(key, () => translate(pattern, options, use));
}

/** Services and plugin_configs bring one pattern to thousands of routes. */
const translations = new AnalysisCache<RegexTranslation>("translation", 2_000);

function translate(pattern: string, options: string, use: TranslationOptions): RegexTranslation {
  const parsed: ParsedOptions = parseOptions(options);
  if (!parsed.ok) {
    const reason = `unknown flag "${parsed.letter}" (flags "${options}")`;
    return { ok: false, offset: parsed.offset, in: "options", reason, untranslatable: false };
  }
  const cursor = new Cursor(pattern, parsed.options);
  try {
    return translateParsed(cursor, parsed.options.anchored, use);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    return {
      ok: false,
      offset: cursor.sources[error.at] ?? pattern.length,
      in: "pattern",
      reason: error.message,
      untranslatable: error.untranslatable,
    };
  }
}

/** The last tree is cached for consecutive analyses. @returns undefined if the pattern is invalid */
export function parseRegex(pattern: string, options: string): Node | undefined {
  if (last?.pattern !== pattern || last.options !== options)
    last = { pattern, options, node: treeOf(pattern, options) };
  return last.node;
}

let last: { pattern: string; options: string; node: Node | undefined } | undefined;

function treeOf(pattern: string, options: string): Node | undefined {
  const parsed = parseOptions(options);
  if (!parsed.ok) return undefined;
  try {
    return parsePattern(new Cursor(pattern, parsed.options));
  } catch (error) {
    if (error instanceof RegexError) return undefined;
    throw error;
  }
}

function translateParsed(cursor: Cursor, anchored: boolean, use: TranslationOptions): RegexTranslation {
  const node = parsePattern(cursor);
  refuseMatchStart(node);
  const references = backReferences(node, groupBodies(node), cursor.utf);
  const read = new Set(use.captures ?? all(cursor.groupCount));
  const observed = new Set([...read, ...referenced(node)]);
  for (const { at, reason, group } of [...references.differences, ...repetitionDifferences(node)])
    if (group === undefined || observed.has(group)) throw new RegexError(reason, at, true);
  const printed = printPattern(node, {
    utf: cursor.utf,
    usedCaptures: read,
    groupStates: references.standing,
  });
  const sticky = anchored && use.scope === "global";
  return {
    ok: true,
    source: anchored && !sticky ? `^(?:${printed})` : printed === "" ? "(?:)" : printed,
    flags: (cursor.utf ? "u" : "") + (sticky ? "y" : ""),
    utf8: cursor.utf,
    groups: cursor.groupCount,
  };
}

function refuseMatchStart(node: Node): void {
  if (node.kind === "assertion" && node.assertion === "matchStart")
    throw new RegexError("\\G asks where the search began; use option a", node.at, true);
  for (const child of children(node)) refuseMatchStart(child);
}

function all(groups: number): number[] {
  return Array.from({ length: groups }, (_, i) => i + 1);
}

/** Exact, or a fault with its position. */
export type RegexTranslation =
  | {
      ok: true;
      source: string;
      /** Never "g", which callers add; "y" only with `scope: "global"` and an anchored pattern. */
      flags: string;
      utf8: boolean;
      /** Highest $n. */
      groups: number;
    }
  | {
      ok: false;
      /** Into the pattern, or the options if `in` is "options". */
      offset: number;
      in: "pattern" | "options";
      /** In the words of an operator: "missing closing parenthesis". */
      reason: string;
      /** Valid PCRE that JavaScript cannot express exactly; false: invalid PCRE. */
      untranslatable: boolean;
    };

/** Aspects that may be inexact because they are not used. Default: everything is exact. */
export interface TranslationOptions {
  /** Used captures, for example by `$1`. Default: all of them. */
  captures?: readonly number[];
  /** "global": each match is replaced, and option `a` requires adjacent matches. Default: "once". */
  scope?: "once" | "global";
}
