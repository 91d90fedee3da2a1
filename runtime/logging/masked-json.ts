import type { JsonPath } from "../abi/log.js";
import { MASK } from "./redaction.js";

/** A path, and the index of its step to look for next. */
type Sought = readonly [path: JsonPath, step: number];

const MASKED = `"${MASK}"`;
const BLANK = /[\t\n\r ]*/y;
const REST_OF_STRING = /[^"\\]*(?:\\.[^"\\]*)*"/y;
const SCALAR = /[^,\]}\t\n\r ]+/y;
const BRACKET_OR_STRING = /[[\]{}"]/g;

/**
 * Keeps the rest: numbers keep their digits, members their order. Masks both of two members of one name.
 * @throws SyntaxError if the text is not JSON, RangeError if it nests too deep
 */
export function maskedJson(text: string, paths: readonly JsonPath[]): string {
  JSON.parse(text);
  return new Masker(text).masked(paths);
}

/** Walks over valid JSON text and enters only values that a path leads to. */
class Masker {
  readonly #text: string;
  readonly #done: string[] = [];
  #at = 0;
  #copied = 0;

  constructor(text: string) {
    this.#text = text;
  }

  masked(paths: readonly JsonPath[]): string {
    this.#value(paths.map((path): Sought => [path, 0]));
    return this.#done.join("") + this.#text.slice(this.#copied);
  }

  #value(sought: readonly Sought[]): void {
    this.#past(BLANK);
    const first = this.#text[this.#at];
    if (first === "{") this.#members(sought);
    else if (first === "[") this.#items(sought);
    else this.#skip();
  }

  #members(sought: readonly Sought[]): void {
    this.#at++;
    for (this.#past(BLANK); this.#text[this.#at] !== "}"; this.#past(BLANK)) {
      if (this.#text[this.#at] === ",") {
        this.#at++;
        this.#past(BLANK);
      }
      const start = this.#at++;
      this.#past(REST_OF_STRING);
      const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
      this.#past(BLANK);
      this.#at++;
      this.#below(sought, name);
    }
    this.#at++;
  }

  #items(sought: readonly Sought[]): void {
    this.#at++;
    this.#past(BLANK);
    for (let index = 0; this.#text[this.#at] !== "]"; index++) {
      if (this.#text[this.#at] === ",") this.#at++;
      this.#below(sought, index);
      this.#past(BLANK);
    }
    this.#at++;
  }

  #below(sought: readonly Sought[], key: string | number): void {
    this.#past(BLANK);
    const next: Sought[] = [];
    let found = false;
    for (const [path, step] of sought) {
      const deep = path[step] === true;
      if (deep) next.push([path, step]);
      const at = deep ? step + 1 : step;
      if (path[at] !== null && path[at] !== key) continue;
      if (at + 1 === path.length) found = true;
      else next.push([path, at + 1]);
    }
    if (!found && next.length > 0) {
      this.#value(next);
      return;
    }
    const start = this.#at;
    this.#skip();
    if (!found) return;
    this.#done.push(this.#text.slice(this.#copied, start), MASKED);
    this.#copied = this.#at;
  }

  #skip(): void {
    const first = this.#text[this.#at];
    if (first === '"') this.#at++;
    if (first !== "{" && first !== "[") {
      this.#past(first === '"' ? REST_OF_STRING : SCALAR);
      return;
    }
    for (let depth = 0; ; ) {
      BRACKET_OR_STRING.lastIndex = this.#at;
      const found = BRACKET_OR_STRING.exec(this.#text)?.[0];
      this.#at = BRACKET_OR_STRING.lastIndex;
      if (found === '"') this.#past(REST_OF_STRING);
      else depth += found === "{" || found === "[" ? 1 : -1;
      if (depth === 0 || found === undefined) return;
    }
  }

  #past(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }
}
