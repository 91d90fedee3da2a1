import type { BodyStream, ReplaceRule } from "../exchange.js";
import { forAllMatches, portable } from "./linear.js";

export interface Slide {
  /** Pattern with flag `g` or `y`, so that it starts at `lastIndex`. */
  readonly pattern: RegExp;
  readonly replacement: ReplaceRule["replacement"];
  /** Replaces only the first match. */
  readonly once: boolean;
  /** Lookahead in bytes. */
  readonly window: number;
  /** Final bytes that stay in front of the undecided text: at least one, so that `^` fails there. */
  readonly kept: number;
  readonly trailingRun: RegExp | undefined;
  readonly partial: RegExp | undefined;
  /** Placeholders for `partial`, which represent bytes that have not arrived. */
  readonly pad: string;
  /** Maximum text for `partial`: it has no form for the linear engine, which longer texts need. */
  readonly partialUpTo: number;
  /** Maximum text that is searched in every pause of the input. */
  readonly eager: number;
}

/** Maximum text in bytes that is searched after each read. */
const EAGER = 4_096;
/** A read may cost 1/32 of the filter's time in a turn of the event loop (10 ms). */
const EAGER_PART = 32;

/** @param syncBytes sync limit of the filter @returns undefined if the rule needs the whole body */
export function slideOf(rule: ReplaceRule, syncBytes = EAGER * EAGER_PART): Slide | undefined {
  const { pattern, replacement, window, lookbehind = 0, trailingRun, partial } = rule;
  if (window === undefined) return undefined;
  const once = !pattern.global;
  const scanning = once ? forAllMatches(pattern) : pattern;
  return {
    ...{ pattern: scanning, replacement, once, window, trailingRun, partial },
    kept: Math.max(lookbehind, 1),
    pad: partial === undefined ? "" : "\u0100".repeat(rule.pad ?? window),
    partialUpTo: portable(pattern).form?.upTo ?? Number.POSITIVE_INFINITY,
    eager: Math.min(EAGER, Math.floor(syncBytes / EAGER_PART)),
  };
}

/**
 * Streams with the same result as on the whole body. All bytes that a match depends on have arrived if it
 * starts at `limit` or earlier, so it is final. "The match ends inside the buffer" would not suffice:
 * `a{1,3}` matches less at a cut, and an earlier start may still be open.
 */
export class Sliding implements BodyStream {
  readonly #slide: Slide;
  /** Up to `kept` bytes that were returned, then the undecided text. */
  #text = "";
  /** First position at which the next match may start. */
  #at = 0;
  /** Bytes that arrived since the last search. */
  #fresh = 0;
  /** The trailing run of the last match reached the end of the text, so that it may continue. */
  #inRun = false;
  #ended = false;
  #deferred = false;

  constructor(slide: Slide) {
    this.#slide = slide;
  }

  push(piece: string, last: boolean): string {
    if (this.#ended) return piece;
    this.#text = this.#text === "" ? piece : this.#text + piece;
    this.#fresh += piece.length;
    // A search may read the whole window again, so with small pieces it waits until half of it is new.
    if (!last && this.#fresh < this.#slide.window >> 1) return "";
    return this.#replace(last ? this.#text.length : this.#text.length - this.#slide.window, last);
  }

  /** Searches a long text only in a quiet pause: a search for each small read would be quadratic. */
  pause(quiet: boolean): string {
    const { window, eager, partialUpTo } = this.#slide;
    this.#deferred = false;
    if (this.#ended || this.#at >= this.#text.length) return "";
    if (!quiet && this.#text.length > eager) {
      this.#deferred = true;
      return "";
    }
    let out = this.#fresh > 0 ? this.#replace(this.#text.length - window, false) : "";
    if (this.#text.length <= partialUpTo) out += this.#release();
    return out;
  }

  get deferred(): boolean {
    return this.#deferred;
  }

  /** Text that no further byte can change: up to the first open match. */
  #release(): string {
    const { partial, pad } = this.#slide;
    let out = "";
    while (partial !== undefined && !this.#ended && !this.#inRun) {
      const { length } = this.#text;
      if (this.#at >= length) break;
      partial.lastIndex = this.#at;
      const found = partial.exec(this.#text + pad);
      const open = found === null || found.index + found[0].length > length;
      const decided = found === null ? length - 1 : found.index - (open ? 1 : 0);
      out += this.#replace(Math.min(decided, length - 1), false);
      if (open) break;
    }
    return out;
  }

  /** Replaces matches that start at `limit` or earlier, and returns the final text. */
  #replace(limit: number, last: boolean): string {
    const { pattern, once, trailingRun } = this.#slide;
    const text = this.#text;
    this.#fresh = 0;
    let out = "";
    let sent = this.#at;
    if (this.#inRun) sent = this.#skipRun(last);
    let at = sent;
    while (at <= limit && !this.#inRun && !this.#ended) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      // With option `a` each match begins where the last one ended, so after one failure there is no other.
      if (match === null && pattern.sticky) this.#ended = true;
      if (match === null || match.index > limit) {
        at = limit + 1;
        break;
      }
      const end = match.index + match[0].length;
      out += text.slice(sent, match.index) + this.#replacement(match);
      sent = end;
      at = end === match.index ? end + 1 : end;
      this.#inRun = trailingRun !== undefined && !last && end === text.length;
      if (once && !this.#inRun) this.#ended = true;
    }
    return this.#send(
      out,
      sent,
      this.#ended || last ? text.length : Math.min(Math.max(sent, at), text.length),
    );
  }

  /** Returns `out` followed by the final text from `sent` to `until`, and keeps the rest. */
  #send(out: string, sent: number, until: number): string {
    const text = this.#text;
    const from = Math.max(0, until - this.#slide.kept);
    this.#text = text.slice(from);
    this.#at = until - from;
    return out + text.slice(sent, until);
  }

  /** End of the trailing run, as far as it has arrived. */
  #skipRun(last: boolean): number {
    const run = this.#slide.trailingRun as RegExp;
    run.lastIndex = this.#at;
    const end = this.#at + (run.exec(this.#text)?.[0].length ?? 0);
    this.#inRun = !last && end === this.#text.length;
    if (!this.#inRun && this.#slide.once) this.#ended = true;
    return end;
  }

  #replacement(match: RegExpExecArray): string {
    const { replacement } = this.#slide;
    if (typeof replacement === "string") return replacement;
    let text = "";
    for (const part of replacement) text += typeof part === "string" ? part : (match[part] ?? "");
    return text;
  }
}
