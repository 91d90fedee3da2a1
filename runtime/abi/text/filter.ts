import type { BodyFilter, ReplaceRule } from "../exchange.js";
import { decodedAgain, decodeUtf8, encodeUtf8 } from "./bytes.js";
import { Sliding, slideOf } from "./sliding.js";

/** Longest text that an ordinary filter takes at once, about a millisecond; its worst case takes less than 10. */
export const MAX_SYNC_BYTES = 131_072;
/** Default of `max_resp_body_size` where the body is held: 64 MiB. */
const MAX_BYTES = 67_108_864;

/**
 * A filter over bodies: its rules replace one after another. Where each of them says how far it looks, a body goes through
 * in pieces and may be of any length; else it is held. Bodies above `maxBytes` are answered 502, or passed unfiltered with
 * `oversize: "pass"`.
 */
export function filter(
  rules: readonly ReplaceRule[],
  {
    maxBytes,
    syncBytes = MAX_SYNC_BYTES,
    oversize = "refuse",
  }: Partial<Pick<BodyFilter, "maxBytes" | "syncBytes" | "oversize">> = {},
): BodyFilter {
  const apply = wholeBody(rules);
  const slides = rules.map((rule) => slideOf(rule, syncBytes));
  if (!slides.every((slide) => slide !== undefined))
    return { apply, rules, maxBytes: maxBytes ?? MAX_BYTES, syncBytes, oversize };
  const open = () => slides.map((slide) => new Sliding(slide));
  return { apply, rules, maxBytes: maxBytes ?? Number.POSITIVE_INFINITY, syncBytes, oversize, open };
}

/** What the rules do to a whole body; one rule over bytes, which most filters are, without a loop. */
function wholeBody(rules: readonly ReplaceRule[]): (text: string) => string {
  const steps = rules.map(({ pattern, replacement, utf8 = false }) => ({
    pattern,
    by: replacementText(replacement),
    utf8,
  }));
  const [first] = steps;
  if (steps.length === 1 && first !== undefined && !first.utf8 && typeof first.by === "string") {
    const { pattern, by } = first;
    return (text) => text.replace(pattern, by);
  }
  return (text) => {
    let out = text;
    let decoded = false;
    for (const { pattern, by, utf8 } of steps) {
      if (utf8 !== decoded) out = utf8 ? decodeUtf8(out) : encodeUtf8(out);
      else if (decoded) out = decodedAgain(out);
      decoded = utf8;
      out = typeof by === "string" ? out.replace(pattern, by) : out.replace(pattern, by);
    }
    return decoded ? encodeUtf8(out) : out;
  };
}

/** Highest group that `$nn` of a replacement text can name (ECMA-262 GetSubstitution). */
const HIGHEST_NAMED = 99;

type Replacer = (...groups: (string | undefined)[]) => string;

/** What `replace` puts in: a text with JavaScript's `$&` and `$1`; a function only for groups above 99. */
function replacementText(by: ReplaceRule["replacement"]): string | Replacer {
  if (typeof by === "string") return by.replaceAll("$", "$$$$");
  if (by.some((part) => typeof part === "number" && part > HIGHEST_NAMED))
    return (...groups) => by.map((part) => (typeof part === "string" ? part : (groups[part] ?? ""))).join("");
  return by
    .map((part, i) => (typeof part === "string" ? part.replaceAll("$", "$$$$") : reference(part, by[i + 1])))
    .join("");
}

/** `$1` before a digit is written `$01`, or the digit would belong to the number. */
function reference(capture: number, next: string | number | undefined): string {
  if (capture === 0) return "$&";
  const digitFollows = typeof next === "string" && /^[0-9]/.test(next);
  return digitFollows ? `$${String(capture).padStart(2, "0")}` : `$${capture}`;
}
