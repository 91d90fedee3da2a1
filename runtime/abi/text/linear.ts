import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";

// Enables flag `l`, V8's linear engine. Workers are started with it; an embedded gateway is not.
setFlagsFromString("--enable-experimental-regexp-engine");

interface LinearForm {
  engine: "v8" | "re2";
  source: string;
  /** Maximum length of a subject for the backtracking engine. */
  upTo: number;
  /** Number in `source` of each capture of the pattern, 0 for an unused one; undefined: the same numbers. */
  groups: readonly number[] | undefined;
  /** Captures of `source` that contain a line feed behind the match. */
  ends: readonly number[];
  /** No match begins at the end of a text that is not empty. */
  notAtEnd?: boolean | undefined;
}

/** Pattern as plain data for another thread: structured cloning would turn the pattern into a plain RegExp. */
export interface PortablePattern {
  source: string;
  flags: string;
  form: LinearForm | undefined;
}

interface Found {
  index: number;
  texts: readonly (string | undefined)[];
}

type Search = (text: string, from: number) => Found | null;

/**
 * Uses the backtracking engine for short subjects, where that is fast, and one with linear time for long
 * ones. Both find the same matches; all methods of JavaScript that take a pattern go through `exec`.
 */
class LinearRegExp extends RegExp {
  readonly form: LinearForm;
  readonly #search: Search;

  constructor(source: string, flags: string, form: LinearForm) {
    super(source, flags);
    this.form = form;
    this.#search = form.engine === "v8" ? inV8(form.source, this.sticky) : inRe2(form.source);
  }

  override exec(text: string): RegExpExecArray | null {
    const { upTo, groups, ends, notAtEnd } = this.form;
    if (text.length <= upTo) return super.exec(text);
    const moves = this.global || this.sticky;
    const from = moves ? this.lastIndex : 0;
    const found = from > text.length ? null : this.#search(text, from);
    if (found === null || (notAtEnd && found.index === text.length && found.index > 0)) {
      if (moves) this.lastIndex = 0;
      return null;
    }
    const { index, texts } = found;
    let whole = texts[0] ?? "";
    // The line feed in front of which a $ has matched is not part of the match.
    if (ends.some((group) => texts[group] !== undefined)) whole = whole.slice(0, -1);
    if (moves) this.lastIndex = index + whole.length;
    const captures = groups?.map((group) => (group === 0 ? undefined : texts[group])) ?? texts.slice(1);
    // As in JavaScript: a group without a match is undefined, whatever the type says.
    const all = [whole, ...captures] as [string, ...string[]];
    return Object.assign(all, { index, input: text, groups: undefined });
  }
}

/** Searches from an offset, by flag "g"; with "y" the match must begin there, too. */
function inV8(source: string, sticky: boolean): Search {
  const pattern = new RegExp(source, sticky ? "ly" : "lg");
  return (text, from) => {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    return found && { index: found.index, texts: found };
  };
}

let library: typeof import("re2js") | undefined;

function inRe2(source: string): Search {
  // Few configurations need it, and it takes 20 ms to load.
  library ??= createRequire(import.meta.url)("re2js") as typeof import("re2js");
  const pattern = library.RE2JS.compile(source);
  return (text, from) => {
    const matcher = pattern.matcher(text);
    if (!matcher.find(from)) return null;
    const texts = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    return { index: matcher.start(), texts };
  };
}

/**
 * Uses V8's linear engine for long subjects.
 * @param upTo maximum length for the backtracking engine
 * @param groups number in the form of each capture of the pattern, 0 for an unused one; default: the same
 * @param ends captures of the form that contain a line feed behind the match
 */
export function linear(
  pattern: RegExp,
  upTo: number,
  form: RegExp,
  groups?: readonly number[],
  ends: readonly number[] = [],
): RegExp {
  const linearForm = { engine: "v8", source: form.source, upTo, groups, ends } as const;
  return new LinearRegExp(pattern.source, pattern.flags, linearForm);
}

/**
 * Uses re2js, a port of RE2, which accepts counts that V8's linear engine does not.
 * @param notAtEnd no match begins at the end of a non-empty text: RE2 finds a line behind a last line feed
 */
export function re2(
  pattern: RegExp,
  upTo: number,
  source: string,
  groups?: readonly number[],
  ends: readonly number[] = [],
  notAtEnd = false,
): RegExp {
  const form = { engine: "re2", source, upTo, groups, ends, notAtEnd } as const;
  return new LinearRegExp(pattern.source, pattern.flags, form);
}

export function forAllMatches(pattern: RegExp): RegExp {
  if (pattern.global) return pattern;
  return revived({ ...portable(pattern), flags: `g${pattern.flags}` });
}

export function portable(pattern: RegExp): PortablePattern {
  const { source, flags } = pattern;
  return { source, flags, form: pattern instanceof LinearRegExp ? pattern.form : undefined };
}

export function revived({ source, flags, form }: PortablePattern): RegExp {
  return form === undefined ? new RegExp(source, flags) : new LinearRegExp(source, flags, form);
}
