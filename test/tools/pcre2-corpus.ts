import { translateReplacement } from "../../compiler/regex/diagnose.js";
import { askPcre2, byteString, modifiersOf, type Pcre2Answer, type Pcre2Match } from "./pcre2.js";

/** One line of `test/unit/regex/corpus/<topic>.json`. What is asked is written by hand, what is expected by pcre2test. */
export interface CorpusCase {
  pattern: string;
  options: string;
  /** A byte string, one character a byte; text with option `u`. */
  subject: string;
  /** Replacement text; none where only the match is of interest. */
  replace?: string;
  scope?: "once" | "global";
  /** We refuse the pattern although it is valid: the word by which the reason is known. */
  refused?: string;
  expected?: Expected;
}

export type Expected =
  | { error: string; offset: number }
  /** First match: index and texts of capture 0, 1...; null where a group is not set. `replaced` when there is `replace`. */
  | { at: number; texts: (string | null)[]; replaced?: string }
  | { at: null; replaced?: string };

/** What pcre2test says about each case; replacing is done as the scripting module does it. */
export function expectations(cases: readonly CorpusCase[]): Expected[] {
  const questions = cases.map(({ pattern, options, subject }) => {
    const offsets = boundaries(subject, options);
    return {
      pattern: byteString(pattern),
      modifiers: modifiersOf(options),
      subjects: offsets.map((offset) => ({ bytes: encoded(subject, options), offset })),
    };
  });
  return askPcre2(questions).map((answer, i) => expectation(cases[i], answer));
}

function expectation(asked: CorpusCase | undefined, answer: Pcre2Answer): Expected {
  if (asked === undefined) throw new Error("more answers than cases");
  if ("error" in answer)
    return { error: answer.error.message, offset: characterAt(asked.pattern, answer.error.offset) };
  const first = answer.matches[0];
  if (first === "gave up") throw new Error(`pcre2test gave up on ${asked.pattern}`);
  const replaced =
    asked.replace === undefined ? {} : { replaced: replaceAll(asked, asked.replace, answer.matches) };
  if (first === undefined || first === null) return { at: null, ...replaced };
  const decode = (bytes: string) => decoded(bytes, asked.options);
  const before = decode(encoded(asked.subject, asked.options).slice(0, first.start));
  const whole = decode(encoded(asked.subject, asked.options).slice(first.start, first.end));
  const captures = first.captures.map((text) => (text === undefined ? null : decode(text)));
  return { at: before.length, texts: [whole, ...captures], ...replaced };
}

/**
 * ngx.re.sub and ngx.re.gsub: after a match the search goes on where it ended, after an empty one a character later.
 * `matches` holds the first match from each place of the subject on.
 */
function replaceAll(
  asked: CorpusCase,
  replace: string,
  matches: readonly (Pcre2Match | null | "gave up")[],
): string {
  const bytes = encoded(asked.subject, asked.options);
  const offsets = boundaries(asked.subject, asked.options);
  const read = translateReplacement(replace, 99);
  if (!read.ok) throw new Error(`replacement ${replace}: ${read.reason}`);
  let out = "";
  let copied = 0;
  let place = 0;
  for (;;) {
    const match = matches[place];
    if (match === undefined || match === null || match === "gave up") break;
    out += bytes.slice(copied, match.start);
    for (const part of read.parts) {
      if ("literal" in part) out += byteString(part.literal);
      else
        out +=
          part.capture === 0 ? bytes.slice(match.start, match.end) : (match.captures[part.capture - 1] ?? "");
    }
    copied = match.end;
    place = offsets.indexOf(match.end) + (match.end === match.start ? 1 : 0);
    if (asked.scope !== "global") break;
  }
  return decoded(out + bytes.slice(copied), asked.options);
}

function encoded(subject: string, options: string): string {
  return /[uU]/.test(options) ? byteString(subject) : subject;
}

function decoded(bytes: string, options: string): string {
  return /[uU]/.test(options) ? Buffer.from(bytes, "latin1").toString() : bytes;
}

/** Byte offsets at which a character begins, and the end. */
function boundaries(subject: string, options: string): number[] {
  if (!/[uU]/.test(options)) return Array.from({ length: subject.length + 1 }, (_, i) => i);
  let offset = 0;
  return [0, ...Array.from(subject, (character) => (offset += Buffer.byteLength(character)))];
}

/** Index of the character that holds byte `offset` of the pattern. */
export function characterAt(pattern: string, offset: number): number {
  let index = 0;
  let bytes = 0;
  for (const character of pattern) {
    bytes += Buffer.byteLength(character);
    if (bytes > offset) return index;
    index += character.length;
  }
  return index;
}
