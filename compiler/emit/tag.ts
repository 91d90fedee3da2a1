import type { Origin } from "../plan/plan.js";

/**
 * Tags in program text under way: the number of an address, in control characters, in front of the code that is made from the part at
 * that address. Printers escape all control characters of a configuration, so a tag is never a user's. Tags have no width and
 * are taken out when the module is whole, so its text does not depend on them.
 */
const BEGIN = "\x01";
const ZERO = 0x0e;
const TAG = /\x01([\x0e-\x1d]+)/g;

/** The tag of the address with that number. */
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

/** Tags that code begins with. */
export function leadingTags(code: string): string {
  return code.startsWith(BEGIN) ? (LEADING.exec(code)?.[0] ?? "") : "";
}

/** Columns that code on one line takes. */
export function columnsOf(line: string): number {
  return withoutTags(line).length;
}

/** A stretch of code made from a part that has a finer address than the note above says. */
export interface TaggedPart {
  /** Both count from 0. */
  line: number;
  column: number;
  address: Origin;
}

/**
 * Takes the tags out of a module. @param addresses by number
 * @returns `parts`: a text for `readParts`, which takes less memory than a list in a process that keeps 50,000 modules. Of an address, it
 *   has only what differs from the one before.
 */
export function takeTags(code: string, addresses: readonly Origin[]): { code: string; parts: string } {
  if (!code.includes(BEGIN)) return { code, parts: "" };
  const parts: string[] = [];
  let last = "";
  const lines = code.split("\n").map((text, line) => {
    if (!text.includes(BEGIN)) return text;
    let taken = 0;
    return text.replace(TAG, (tag, digits: string, at: number) => {
      const address = addresses[numberOf(digits)] ?? "";
      const same = sharedLength(last, address);
      parts.push(`${line} ${at - taken} ${same} ${address.slice(same)}`);
      last = address;
      taken += tag.length;
      return "";
    });
  });
  return { code: lines.join("\n"), parts: parts.join("\n") };
}

function numberOf(digits: string): number {
  let number = 0;
  for (let i = 0; i < digits.length; i++) number = number * 16 + digits.charCodeAt(i) - ZERO;
  return number;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Sorted by line and column. */
export function readParts(parts: string): TaggedPart[] {
  if (parts === "") return [];
  let address = "";
  return parts.split("\n").map((part) => {
    const [line = "", column = "", same = ""] = part.split(" ", 3);
    address = address.slice(0, Number(same)) + part.slice(line.length + column.length + same.length + 3);
    return { line: Number(line), column: Number(column), address };
  });
}
