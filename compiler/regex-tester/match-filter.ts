import { decodeUtf8, utf8 } from "../../runtime/abi/text/bytes.js";
import { filter } from "../../runtime/abi/text/filter.js";
import { linear, re2 } from "../../runtime/abi/text/linear.js";
import type { FilterRule } from "../plan/body-filters.js";
import { flagsOf } from "./compiled-filter.js";
import { rangesIn } from "./text-ranges.js";

/** One match, and where it stands. */
export interface FoundMatch {
  /** UTF-16 code units of the subject; a character that is cut belongs to it. */
  from: number;
  to: number;
  byte_from: number;
  byte_to: number;
  /** From the first on; null: it has not matched, or the filter does not need its exact text. */
  captures: (string | null)[];
}

/** What a filter does to a subject. */
export interface MatchedRegex {
  matches: FoundMatch[];
  /** Matches that are left out. */
  more: number;
  /** The new body, as far as it is shown. */
  replaced: string;
  replaced_bytes: number;
  /** The new body is well-formed: a filter over bytes can cut characters. */
  utf8: boolean;
}

const MAX_MATCHES = 500;
/** Characters of a capture, and of the new body, that are shown. */
const MAX_CAPTURE = 200;
const MAX_BODY = 65_536;

/** Runs a planned filter as the gateway does. @param exact captures that are told */
export function matchFilter(rule: FilterRule, subject: string, exact: ReadonlySet<number>): MatchedRegex {
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

/** The pattern on its engine, as the generated module has it. */
function patternOf(rule: FilterRule): RegExp {
  const { source, engine, linear: form } = rule.regex;
  const pattern = new RegExp(source, flagsOf(rule));
  if (form === undefined || engine === "backtracking") return pattern;
  if (engine === "re2") return re2(pattern, form.upTo, form.source, form.groups, form.ends, form.notAtEnd);
  return linear(pattern, form.upTo, new RegExp(form.source), form.groups, form.ends);
}

/** Texts and numbers of captures, as the generated module has them. */
function byOf(replacement: FilterRule["replacement"], decodes: boolean): (string | number)[] {
  return replacement.map((part) => {
    if ("capture" in part) return part.capture;
    return decodes ? Buffer.from(part.literal, "latin1").toString("utf8") : part.literal;
  });
}
