import { spawnSync } from "node:child_process";
import { decodeUtf8 } from "../../runtime/abi/text/bytes.js";

/** One pattern and the subjects to try it on. Pattern and subjects are byte strings. */
export interface Pcre2Question {
  pattern: string;
  /** Modifiers as pcre2test names them: "caseless", "utf"... */
  modifiers: readonly string[];
  subjects: readonly { bytes: string; offset: number }[];
}

/**
 * Byte strings of a match; undefined for a group that is not set. `start` and `end` count bytes; with `match_invalid_utf`, where
 * the tool prints an invalid byte as it prints the character of that number, characters and invalid bytes.
 */
export interface Pcre2Match {
  start: number;
  end: number;
  captures: (string | undefined)[];
}

export type Pcre2Answer =
  | { error: { offset: number; message: string } }
  /** One for each subject; "gave up" where a limit of the tool was reached. */
  | { matches: (Pcre2Match | null | "gave up")[] };

/** Steps after which the tool gives up on a subject: enough for subjects of a few dozen bytes. */
const MATCH_LIMIT = 200_000;

/**
 * Asks the real pcre2test, all questions in one run.
 * @throws Error when the tool is missing or prints what this reader does not know
 */
export function askPcre2(questions: readonly Pcre2Question[]): Pcre2Answer[] {
  const inputs = questions.map(inputLines);
  const input = inputs.map((lines) => `${lines.join("\n")}\n\n`).join("");
  const run = spawnSync("pcre2test", ["-q"], { input, maxBuffer: 1 << 30, encoding: "latin1" });
  if (run.error !== undefined) throw new Error(`pcre2test cannot be run: ${run.error.message}`);
  const reader = new OutputReader(run.stdout.split("\n"));
  return questions.map((question, i) => reader.answer(question, inputs[i] ?? []));
}

function inputLines({ pattern, modifiers, subjects }: Pcre2Question): string[] {
  const all = ["hex", ...modifiers].join(",");
  return [`/${hex(pattern)}/${all}`, ...subjects.map(({ bytes, offset }) => subjectLine(bytes, offset))];
}

function hex(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

function subjectLine(bytes: string, offset: number): string {
  const escaped = Array.from(bytes, (byte) => `\\x${hex(byte)}`).join("");
  return `    ${escaped}\\=allaftertext,callout_none,match_limit=${MATCH_LIMIT},offset=${offset}`;
}

class OutputReader {
  private readonly lines: readonly string[];
  private at = 0;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  answer(question: Pcre2Question, input: readonly string[]): Pcre2Answer {
    const [pattern = "", ...subjects] = input;
    this.skipTo(pattern);
    const failure = /^Failed: error \d+ at offset (\d+): (.*)$/.exec(this.lines[this.at] ?? "");
    if (failure !== null) return { error: { offset: Number(failure[1]), message: failure[2] ?? "" } };
    const inUnits = question.modifiers.includes("match_invalid_utf");
    const lengthOf = inUnits ? unitsOf : (text: string) => printed(text).length;
    return {
      matches: subjects.map((line, i) => this.match(line, question.subjects[i]?.bytes ?? "", lengthOf)),
    };
  }

  private skipTo(line: string): void {
    while (this.at < this.lines.length && this.lines[this.at] !== line) this.at++;
    if (this.at >= this.lines.length) throw new Error(`pcre2test did not answer ${line}`);
    this.at++;
  }

  private match(
    line: string,
    subject: string,
    lengthOf: (printed: string) => number,
  ): Pcre2Match | null | "gave up" {
    this.skipTo(line);
    const first = this.lines[this.at] ?? "";
    if (first === "No match") return null;
    if (first.startsWith("Failed: error -")) return "gave up";
    const texts: (string | undefined)[] = [];
    let [rest, length] = [-1, 0];
    for (;;) {
      const [, number, sign, value = ""] = /^ ?(\d+)([:+]) (.*)$/.exec(this.lines[this.at] ?? "") ?? [];
      if (number === undefined) break;
      if (sign === "+") rest = rest < 0 ? lengthOf(value) : rest;
      else texts[Number(number)] = value === "<unset>" ? undefined : printed(value);
      if (number === "0" && sign === ":") length = lengthOf(value);
      this.at++;
    }
    const [whole, ...captures] = texts;
    if (whole === undefined || rest < 0) throw new Error(`pcre2test printed "${first}" for ${line}`);
    const all = lengthOf === unitsOf ? [...decodeUtf8(subject)].length : subject.length;
    return { start: all - rest - length, end: all - rest, captures };
  }
}

/** Characters that pcre2test prints; one for each byte that belongs to none. */
function unitsOf(text: string): number {
  return text.match(/\\x(?:[0-9a-f]{2}|\{[0-9a-f]+\})|./gs)?.length ?? 0;
}

/** What pcre2test prints for a text, as bytes: `\x0a` and `\x{e9}` stand for what cannot be printed. */
function printed(text: string): string {
  return text.replace(/\\x(?:([0-9a-f]{2})|\{([0-9a-f]+)\})/g, (whole, byte?: string, wide?: string) => {
    const code = Number.parseInt(byte ?? wide ?? "", 16);
    if (code >= 0x20 && code < 0x7f) return whole;
    return wide === undefined
      ? String.fromCharCode(code)
      : Buffer.from(String.fromCodePoint(code)).toString("latin1");
  });
}

const MODIFIERS: Readonly<Record<string, string>> = {
  i: "caseless",
  m: "multiline",
  s: "dotall",
  x: "extended",
  u: "utf",
  U: "utf",
  a: "anchored",
  A: "anchored",
  D: "dupnames",
};

/**
 * The tool's modifiers for option letters of the gateway. Start optimizations are off: in 10.42 they miss matches of patterns that begin
 * with a look-ahead (`(?=a)b*a` does not match "a").
 */
export function modifiersOf(options: string): string[] {
  return ["no_start_optimize", ...new Set([...options].flatMap((letter) => MODIFIERS[letter] ?? []))];
}

/** UTF-8 bytes as a byte string. */
export function byteString(text: string): string {
  return Buffer.from(text).toString("latin1");
}
