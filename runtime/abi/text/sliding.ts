import type { BodyStream, ReplaceRule } from "../exchange.js";
import { forAllMatches, portable } from "./linear.js";

/** A rule made ready for bodies in pieces. */
export interface Slide {
  /** With flag `g` or `y`, so that it starts at `lastIndex`. */
  readonly pattern: RegExp;
  readonly replacement: ReplaceRule["replacement"];
  readonly once: boolean;
  readonly window: number;
  /** Bytes that stay in front of what is undecided: at least one, so that `^` fails there. */
  readonly kept: number;
  readonly trailingRun: RegExp | undefined;
  readonly partial: RegExp | undefined;
  /** Bytes that have not come, for `partial`. */
  readonly pad: string;
  /** Longest text that `partial` may search; longer ones take a linear engine, which it has not. */
  readonly partialUpTo: number;
  /** Longest text that is looked at whenever nothing more comes. */
  readonly eager: number;
}

/** Text that is looked at with each read. */
const EAGER = 4_096;
/** A read may cost this part of what a turn of the event loop has for the filter (10 ms). */
const EAGER_PART = 32;

/**
 * Undefined for a rule that needs the whole body.
 * @param syncBytes bytes that the filter gets through without holding up an event loop
 */
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
 * Replaces in a body that comes in pieces, with the result that the whole body would have. What a match that starts at
 * `limit` or earlier depends on is there, so it is decided; "the match ends inside the buffer" would not do: `a{1,3}`
 * matches less at a cut, and an earlier start may still be open.
 */
export class Sliding implements BodyStream {
  readonly #slide: Slide;
  /** Up to `kept` bytes that were sent, then those that are not. */
  #text = "";
  /** Where the next match may start. */
  #at = 0;
  /** What came since the last look at a match. */
  #fresh = 0;
  /** The last match ended with its run at the end of what was there: the run may go on. */
  #inRun = false;
  /** Nothing will be replaced any more. */
  #over = false;
  #deferred = false;

  constructor(slide: Slide) {
    this.#slide = slide;
  }

  push(piece: string, last: boolean): string {
    if (this.#over) return piece;
    this.#text = this.#text === "" ? piece : this.#text + piece;
    this.#fresh += piece.length;
    // A look may go through the whole window again, so for small pieces it waits until half of it is new.
    if (!last && this.#fresh < this.#slide.window >> 1) return "";
    return this.#replace(last ? this.#text.length : this.#text.length - this.#slide.window, last);
  }

  /** Looks at a long text only when it is quiet: one look for each small read would cost the square of its length. */
  pause(quiet: boolean): string {
    const { window, eager, partialUpTo } = this.#slide;
    this.#deferred = false;
    if (this.#over || this.#at >= this.#text.length) return "";
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

  /** Returns what no further byte can change: up to where a match is open. */
  #release(): string {
    const { partial, pad } = this.#slide;
    let out = "";
    while (partial !== undefined && !this.#over && !this.#inRun) {
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

  /** Replaces matches that start at `limit` or earlier. */
  #replace(limit: number, last: boolean): string {
    const { pattern, once, trailingRun } = this.#slide;
    const text = this.#text;
    this.#fresh = 0;
    let out = "";
    let sent = this.#at;
    if (this.#inRun) sent = this.#skipRun(last);
    let at = sent;
    while (at <= limit && !this.#inRun && !this.#over) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      // Matches of option `a` follow each other: the first failure is the last.
      if (match === null && pattern.sticky) this.#over = true;
      if (match === null || match.index > limit) {
        at = limit + 1;
        break;
      }
      const end = match.index + match[0].length;
      out += text.slice(sent, match.index) + this.#replacement(match);
      sent = end;
      at = end === match.index ? end + 1 : end;
      this.#inRun = trailingRun !== undefined && !last && end === text.length;
      if (once && !this.#inRun) this.#over = true;
    }
    return this.#send(
      out,
      sent,
      this.#over || last ? text.length : Math.min(Math.max(sent, at), text.length),
    );
  }

  /** Returns the decided text from `sent` to `until` behind `out`, and keeps the rest. */
  #send(out: string, sent: number, until: number): string {
    const text = this.#text;
    const from = Math.max(0, until - this.#slide.kept);
    this.#text = text.slice(from);
    this.#at = until - from;
    return out + text.slice(sent, until);
  }

  /** The end of the run, as far as it has come. */
  #skipRun(last: boolean): number {
    const run = this.#slide.trailingRun as RegExp;
    run.lastIndex = this.#at;
    const end = this.#at + (run.exec(this.#text)?.[0].length ?? 0);
    this.#inRun = !last && end === this.#text.length;
    if (!this.#inRun && this.#slide.once) this.#over = true;
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
