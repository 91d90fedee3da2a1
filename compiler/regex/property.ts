import { type CharSet, LAST_BYTE, type Range, setOf } from "./charset.js";
import type { Cursor } from "./parse/cursor.js";
import { invalid, RegexError } from "./regex-error.js";

/** As in pcre2pattern(3). */
const CATEGORIES = new Set(
  "C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs".split(
    " ",
  ),
);

/** `Xan` alphanumeric, `Xwd` word, `Xps Xsp` space; in loose spelling, as PCRE2 allows it. */
const SPECIAL: Readonly<Record<string, string>> = {
  any: "[^]",
  "l&": "[\\p{Lu}\\p{Ll}\\p{Lt}]",
  lc: "[\\p{Lu}\\p{Ll}\\p{Lt}]",
  xan: "[\\p{L}\\p{N}]",
  xwd: "[\\p{L}\\p{N}_]",
  xps: "[\\p{Z}\\t-\\r\\x85]",
  xsp: "[\\p{Z}\\t-\\r\\x85]",
};

/**
 * The cursor is behind `\p` or `\P`. Without option `u` a property means the bytes whose Latin-1 character
 * has it, returned as ranges; with it, an escape of JavaScript.
 */
export function readProperty(cursor: Cursor, negatedLetter: boolean): CharSet {
  const start = cursor.position;
  const { name, negated } = readName(cursor);
  const inverse = negated !== negatedLetter;
  const special = SPECIAL[loose(name)];
  const category = [...CATEGORIES].find((each) => each.toLowerCase() === loose(name));
  if (special === undefined && category === undefined) {
    if (!isPropertyOfUnicode(name)) throw invalid(147, cursor.position);
    throw new RegexError(`\\p{${name}}: only general categories are translated`, start - 2, true);
  }
  const source = special ?? `\\p{${category}}`;
  if (!cursor.utf) return { ranges: bytesMatching(source, inverse), properties: [], negated: false };
  if (special === undefined)
    return { ranges: [], properties: [inverse ? source.replace("\\p", "\\P") : source], negated: false };
  if (inverse) throw new RegexError(`\\P{${name}} with option u`, start - 2, true);
  return specialSet(loose(name));
}

function specialSet(name: string): CharSet {
  switch (name) {
    case "any":
      return setOf([[0, 0x10ffff]]);
    case "xan":
      return { ranges: [], properties: ["\\p{L}", "\\p{N}"], negated: false };
    case "xwd":
      return { ranges: [[0x5f, 0x5f]], properties: ["\\p{L}", "\\p{N}"], negated: false };
    case "xps":
    case "xsp":
      return {
        ranges: [
          [9, 13],
          [0x85, 0x85],
        ],
        properties: ["\\p{Z}"],
        negated: false,
      };
    default:
      return { ranges: [], properties: ["\\p{Lu}", "\\p{Ll}", "\\p{Lt}"], negated: false };
  }
}

function readName(cursor: Cursor): { name: string; negated: boolean } {
  if (cursor.atEnd) throw invalid(146, cursor.position);
  if (!cursor.take("{")) {
    const name = cursor.peek();
    if (/[\u0080-\u{10ffff}]/u.test(name)) throw invalid(146, cursor.position);
    cursor.position++;
    if (!/[A-Za-z]/.test(name)) throw invalid(146, cursor.position);
    return { name, negated: false };
  }
  const negated = cursor.take("^");
  const name = cursor.takeWhile(/[^}]/);
  if (!cursor.take("}")) throw invalid(146, cursor.position);
  return { name, negated };
}

function loose(name: string): string {
  return name.replace(/[ _\t-]/g, "").toLowerCase();
}

/** PCRE2 has the scripts and properties of Unicode, approximately. */
function isPropertyOfUnicode(name: string): boolean {
  const bare = name.replace(/^(?:sc|script|scx|scriptextensions)\s*[:=]\s*/i, "");
  return ["Script=", ""].some((prefix) => {
    try {
      new RegExp(`\\p{${prefix}${bare.charAt(0).toUpperCase()}${bare.slice(1)}}`, "u");
      return true;
    } catch {
      return false;
    }
  });
}

function bytesMatching(source: string, inverse: boolean): Range[] {
  const pattern = new RegExp(source, "u");
  const ranges: Range[] = [];
  for (let byte = 0; byte <= LAST_BYTE; byte++)
    if (pattern.test(String.fromCharCode(byte)) !== inverse) ranges.push([byte, byte]);
  return [...setOf(ranges).ranges];
}
