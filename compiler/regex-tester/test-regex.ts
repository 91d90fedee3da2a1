import { messageOf } from "../../runtime/abi/error-message.js";
import { decodeUtf8, utf8 } from "../../runtime/abi/text/bytes.js";
import { filter } from "../../runtime/abi/text/filter.js";
import { linear, re2 } from "../../runtime/abi/text/linear.js";
import type { FilterRule } from "../4-plan/body-filters.js";
import { type CompiledFilter, compileFilter, exactCaptures, flagsOf } from "./compiled-filter.js";
import type { RegexTestInput } from "./test-input.js";

interface FoundMatch {
  /** UTF-16 code units of the subject; a character that is cut belongs to the match. */
  from: number;
  to: number;
  byte_from: number;
  byte_to: number;
  /** Captures from 1 on. Null if a capture has not matched, or the filter does not need its exact text. */
  captures: (string | null)[];
}

interface MatchedRegex {
  matches: FoundMatch[];
  more: number;
  /** New body, up to `MAX_BODY` characters. */
  replaced: string;
  replaced_bytes: number;
  /** The new body is well-formed UTF-8: a filter over bytes can cut characters. */
  utf8: boolean;
}

const MAX_MATCHES = 500;
/** Maximum characters of a capture; `MAX_BODY` is that of the new body. */
const MAX_CAPTURE = 200;
const MAX_BODY = 65_536;

/** Runs a filter as the gateway does. @param exact captures to show */
function matchFilter(rule: FilterRule, subject: string, exact: ReadonlySet<number>): MatchedRegex {
  const bytes = utf8(Buffer.from(subject, "utf8").toString("utf8"));
  const pattern = patternOf(rule);
  const decodes = rule.utf8 ?? rule.regex.utf8;
  const places = rangesIn(bytes, decodes);
  const matches: FoundMatch[] = [];
  let more = 0;
  (decodes ? decodeUtf8(bytes) : bytes).replace(pattern, (match: string, ...given: unknown[]) => {
    const at = given.findIndex((one) => typeof one === "number");
    const index = given[at] as number;
    if (matches.length === MAX_MATCHES) more += 1;
    else {
      const captures = given.slice(0, at).map((text, i) => {
        if (typeof text !== "string" || !exact.has(i + 1)) return null;
        return shown(decodes ? text : Buffer.from(text, "latin1").toString("utf8"), MAX_CAPTURE);
      });
      matches.push({ ...places(index, index + match.length), captures });
    }
    return "";
  });
  const { utf8: isUtf8, replacement } = rule;
  const replaced = filter([
    { pattern, replacement: byOf(replacement, decodes), utf8: isUtf8 ?? rule.regex.utf8 },
  ]);
  const whole = Buffer.from(replaced.apply(bytes), "latin1");
  const text = whole.toString("utf8");
  return {
    ...{ matches, more },
    replaced: shown(text, MAX_BODY),
    replaced_bytes: whole.length,
    utf8: !text.includes("\ufffd") || Buffer.from(text, "utf8").equals(whole),
  };
}

const shown = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

function patternOf(rule: FilterRule): RegExp {
  const { source, engine, linear: form } = rule.regex;
  const pattern = new RegExp(source, flagsOf(rule));
  if (form === undefined || engine === "backtracking") return pattern;
  if (engine === "re2") return re2(pattern, form.upTo, form.source, form.groups, form.ends, form.notAtEnd);
  return linear(pattern, form.upTo, new RegExp(form.source), form.groups, form.ends);
}

function byOf(replacement: FilterRule["replacement"], decodes: boolean): (string | number)[] {
  return replacement.map((part) => {
    if ("capture" in part) return part.capture;
    return decodes ? Buffer.from(part.literal, "latin1").toString("utf8") : part.literal;
  });
}

/** Range in bytes and in UTF-16 code units of the text, extended to whole characters. */
interface MatchRange {
  from: number;
  to: number;
  byte_from: number;
  byte_to: number;
}

/** @param bytes UTF-8 @param decoded matches count code units, not bytes */
function rangesIn(bytes: string, decoded: boolean): (from: number, to: number) => MatchRange {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (text.length === bytes.length) return (from, to) => ({ from, to, byte_from: from, byte_to: to });
  // First byte of each code unit; first and last code unit of each byte's character.
  const byteOf: number[] = [];
  const first: number[] = [];
  const behind: number[] = [];
  let unit = 0;
  for (const character of text) {
    const start = first.length;
    const size = Buffer.byteLength(character);
    for (let i = 0; i < character.length; i += 1) byteOf.push(start);
    for (let i = 0; i < size; i += 1) {
      first.push(unit);
      behind.push(i === 0 ? unit : unit + character.length);
    }
    unit += character.length;
  }
  byteOf.push(first.length);
  first.push(unit);
  behind.push(unit);
  const at = (list: readonly number[], index: number) => list[index] ?? 0;
  return (from, to) =>
    decoded
      ? { from, to, byte_from: at(byteOf, from), byte_to: at(byteOf, to) }
      : { from: at(first, from), to: at(behind, to), byte_from: from, byte_to: to };
}

export interface RegexTestResult extends CompiledFilter {
  /** Null if the filter is rejected, there is no subject, or the search did not end. */
  result: MatchedRegex | null;
  /** Reason why an accepted pattern with a subject has no result. */
  unfinished: string | null;
}

/** @param told receives the compiled filter before the run, which may never end */
export function testRegex(
  { filter, subject }: RegexTestInput,
  told?: (judged: CompiledFilter) => void,
): RegexTestResult {
  const { judged, rule } = compileFilter(filter);
  told?.(judged);
  if (rule === undefined || subject === undefined) return { ...judged, result: null, unfinished: null };
  try {
    const exact = exactCaptures(rule, judged.translation?.groups ?? 0);
    return { ...judged, result: matchFilter(rule, subject, exact), unfinished: null };
  } catch (error) {
    // V8 has no string of more than 512 MB, and little stack for a pattern.
    return { ...judged, result: null, unfinished: messageOf(error) };
  }
}
