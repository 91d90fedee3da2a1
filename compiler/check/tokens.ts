export interface Token {
  kind: "word" | "number" | "string" | "regex" | "template" | "mark" | "unknown";
  text: string;
  /** One-based. */
  line: number;
}

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*.*?\*\/)+/sy;
const REGEX = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** The text of a template up to a hole or its end. */
const TEMPLATE_TEXT = /(?:[^`\\$]|\\.|\$(?!\{))*(?:\$\{|`)/sy;
const PLAIN = [
  ["word", /[A-Za-z_$][A-Za-z0-9_$]*/y],
  ["number", /\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w$])/iy],
  ["string", /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y],
  ["mark", /=>|===|!==|>=|<=|&&|\|\||\?\?|\?\.|\.\.\.|[{}()[\],;:.?=<>!+-]/y],
] as const;
/** After these a "/" begins a regular expression; generated code never divides. */
const BEFORE_REGEX: ReadonlySet<string> = new Set([
  "(",
  ",",
  "=",
  ":",
  "[",
  "!",
  "&&",
  "||",
  "return",
  "=>",
  "??",
]);

/**
 * Cuts generated JavaScript into tokens; comments and blanks fall out. It knows as much of the language as the emitter
 * writes: anything else is "unknown".
 */
export function tokenize(code: string): Token[] {
  const lexer = new Lexer(code);
  while (lexer.next());
  return lexer.tokens;
}

class Lexer {
  readonly tokens: Token[] = [];
  readonly #code: string;
  #at = 0;
  #line = 1;
  #depth = 0;
  /** Depth of braces at which each open template goes on. */
  readonly #templates: number[] = [];

  constructor(code: string) {
    this.#code = code;
  }

  /** Takes one token; false at the end. */
  next(): boolean {
    this.#advance(this.#match(BLANK) ?? "");
    const first = this.#code[this.#at];
    if (first === undefined) return false;
    if (first === "`") this.#template();
    else if (first === "}" && this.#templates.at(-1) === this.#depth) {
      this.#templates.pop();
      this.#template();
    } else this.#plain(first);
    return true;
  }

  /** From a backtick, or from the brace that closes a hole. */
  #template(): void {
    this.#at += 1;
    const text = this.#match(TEMPLATE_TEXT);
    if (text === undefined) {
      this.#push("unknown", this.#code.slice(this.#at));
      return;
    }
    this.#push("template", text);
    if (text.endsWith("${")) this.#templates.push(this.#depth);
  }

  #plain(first: string): void {
    const before = this.tokens.at(-1);
    const regex = before !== undefined && BEFORE_REGEX.has(before.text) ? this.#match(REGEX) : undefined;
    if (regex !== undefined) {
      this.#push("regex", regex);
      return;
    }
    if (first === "{") this.#depth++;
    if (first === "}") this.#depth--;
    for (const [kind, pattern] of PLAIN) {
      const text = this.#match(pattern);
      if (text === undefined) continue;
      this.#push(kind, text);
      return;
    }
    this.#push("unknown", first);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#code)?.[0];
  }

  #push(kind: Token["kind"], text: string): void {
    this.tokens.push({ kind, text, line: this.#line });
    this.#advance(text);
  }

  #advance(text: string): void {
    this.#at += text.length;
    for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) this.#line++;
  }
}
