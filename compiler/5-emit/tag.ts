import type { ConfigPath } from "../model/plan.js";

/**
 * Tags in code: the number of a config path, in control characters, in front of the code that comes from it.
 * Printers escape control characters of a configuration, so a tag never comes from a user. Tags have no width
 * and are removed from the finished module, whose text does not depend on them.
 */
const BEGIN = "\x01";
const ZERO = 0x0e;
const TAG = /\x01([\x0e-\x1d]+)/g;

/** Tag of the config path with that number. */
export function tagOf(address: number): string {
  const digits = [...address.toString(16)].map((digit) =>
    String.fromCharCode(ZERO + Number.parseInt(digit, 16)),
  );
  return BEGIN + digits.join("");
}

export function withoutTags(code: string): string {
  return code.includes(BEGIN) ? code.replace(TAG, "") : code;
}

const LEADING = /^(?:\x01[\x0e-\x1d]+)+/;

export function leadingTags(code: string): string {
  return code.startsWith(BEGIN) ? (LEADING.exec(code)?.[0] ?? "") : "";
}

/** Columns of code on one line, without tags. */
export function columnsOf(line: string): number {
  let columns = line.length;
  for (let at = line.indexOf(BEGIN); at >= 0; ) {
    const end = endOfTag(line, at);
    columns -= end - at;
    at = line.indexOf(BEGIN, end);
  }
  return columns;
}

function endOfTag(code: string, begin: number): number {
  let end = begin + 1;
  while (code.charCodeAt(end) >= ZERO && code.charCodeAt(end) < ZERO + 16) end++;
  return end;
}

/** Range of code with a more exact config path than the comment above it. */
export interface TaggedPart {
  /** Line and column count from 0. */
  line: number;
  column: number;
  address: ConfigPath;
}

/**
 * Removes the tags from a module.
 * @param addresses config paths by number
 * @returns `parts`: a text for `readParts`, which takes less memory than a list in a process with 50,000
 * modules. Each entry holds only the difference from the previous config path
 */
export function takeTags(code: string, addresses: readonly ConfigPath[]): { code: string; parts: string } {
  const parts: string[] = [];
  let [out, last] = ["", ""];
  let [line, column] = [0, 0];
  let from = 0;
  for (let at = code.indexOf(BEGIN); at >= 0; at = code.indexOf(BEGIN, from)) {
    const text = code.slice(from, at);
    out += text;
    column += text.length;
    for (let next = text.indexOf("\n"); next >= 0; next = text.indexOf("\n", next + 1)) {
      line++;
      column = text.length - next - 1;
    }
    from = endOfTag(code, at);
    const address = addresses[numberIn(code, at + 1, from)] ?? "";
    const same = sharedLength(last, address);
    parts.push(`${line} ${column} ${same} ${address.slice(same)}`);
    last = address;
  }
  return { code: out + code.slice(from), parts: parts.join("\n") };
}

function numberIn(code: string, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) number = number * 16 + code.charCodeAt(i) - ZERO;
  return number;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Parses `parts`, sorted by line and column. */
export function readParts(parts: string): TaggedPart[] {
  if (parts === "") return [];
  let address = "";
  return parts.split("\n").map((part) => {
    const first = part.indexOf(" ");
    const second = part.indexOf(" ", first + 1);
    const third = part.indexOf(" ", second + 1);
    address = address.slice(0, Number(part.slice(second + 1, third))) + part.slice(third + 1);
    return { line: Number(part.slice(0, first)), column: Number(part.slice(first + 1, second)), address };
  });
}
