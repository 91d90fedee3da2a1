import { type JsonPath, MASKED_BODY } from "../abi/log.js";
import { forAllMatches } from "../abi/text/linear.js";
import type { Steps } from "../http/time-slice.js";
import type { LoggedBody } from "./body-text.js";
import { maskedJson } from "./masked-json.js";
import { MASK } from "./redaction.js";

/** Rules for masking bodies, apart from credentials. */
export interface BodyMaskSettings {
  /** Paths of JSON values; names are byte strings. */
  readonly paths: readonly JsonPath[];
}

const { longest: LONGEST, slice: SLICE, before: BEFORE, behind: BEHIND } = MASKED_BODY;
const JSON_TYPE = /[/+]json\b/i;
const LIKE_JSON = /^[\t\n\r ]*[[{]/;

/** Masks JSON paths and patterns, and whole an unreadable body (cut JSON, unknown coding): it may hold anything. */
export class BodyMasks {
  readonly #paths: readonly JsonPath[];
  readonly #patterns: readonly RegExp[];

  constructor({ paths }: BodyMaskSettings, patterns: readonly RegExp[]) {
    this.#paths = paths;
    this.#patterns = patterns.map(forAllMatches);
  }

  *body(body: LoggedBody, type: string | undefined): Steps<LoggedBody> {
    if (body.coding !== "") return { ...body, text: MASK, coding: "" };
    const text = yield* this.text(body.text, type);
    return text === body.text ? body : { ...body, text };
  }

  *text(text: string, type: string | undefined): Steps<string> {
    if (text.length > LONGEST) return MASK;
    let out = text;
    if (this.#paths.length > 0 && (JSON_TYPE.test(type ?? "") || LIKE_JSON.test(text))) {
      try {
        out = maskedJson(text, this.#paths);
      } catch {
        return MASK;
      }
      yield;
    }
    for (const pattern of this.#patterns) out = yield* maskedMatches(out, pattern);
    return out;
  }
}

/**
 * Masks window after window; each includes the text in front of it, for `\b` and lookbehinds. A match may end
 * behind its window; a longer one is masked up to that limit, and the rest only if it matches again.
 * @param pattern with flag "g"
 */
function* maskedMatches(text: string, pattern: RegExp): Steps<string> {
  const done: string[] = [];
  let copied = 0;
  for (let from = 0; from < text.length; ) {
    const base = Math.max(0, from - BEFORE);
    const end = from + SLICE;
    const window = text.slice(base, end + BEHIND);
    pattern.lastIndex = from - base;
    for (let found = pattern.exec(window); found !== null; found = pattern.exec(window)) {
      const start = base + found.index;
      if (start >= end) break;
      const { length } = found[0];
      // An empty match hides nothing.
      if (length === 0) {
        pattern.lastIndex = found.index + 1;
        continue;
      }
      done.push(text.slice(copied, start), MASK);
      copied = start + length;
    }
    from = Math.max(end, copied);
    yield;
  }
  return done.join("") + text.slice(copied);
}
