import type { Regex } from "../model/plan.js";
import type { Node } from "../regex/ast.js";
import { type CharSet, disjoint, LAST_BYTE, negate, type Range, setOf } from "../regex/charset.js";
import { parseRegex } from "../regex/translate.js";
import { foundIn } from "./constant-conditions.js";
import {
  ADDRESSES,
  CHOICES,
  choicesReason,
  IS_HOST,
  IS_METHOD,
  IS_PATH,
  type ValueFault,
} from "./impossible-values.js";

const range = (characters: string): Range => [characters.charCodeAt(0), characters.charCodeAt(1)];
const CAPITALS = range("AZ");
const SMALL = range("az");
const each = (characters: string): Range[] => [...characters].map((one) => range(one + one));
const CONTROL: Range[] = [
  [0, 0x20],
  [0x7f, LAST_BYTE],
];

/** Characters that a variable never contains, with the reason. */
interface Absent {
  set: CharSet;
  reason: string;
  help?: string;
}

const IN_METHOD: Absent = {
  set: setOf([SMALL]),
  reason: "methods are case-sensitive, and clients send them in capitals",
  help: "write capitals, or ~* to ignore case",
};
const IN_HOST: readonly Absent[] = [
  {
    set: setOf([CAPITALS]),
    reason: "the host is compared in lower case",
    help: "write lower case, or ~* to ignore case",
  },
  { set: setOf([...each('/?#@"<>\\^`{|}'), ...CONTROL]), reason: "it is the name of one host" },
];
const IN_ADDRESS: Absent = {
  set: negate(setOf([range("09"), range("af"), ...each(".:")]), LAST_BYTE),
  reason: "it is one address",
  help: '"ipmatch" compares with blocks such as 10.0.0.0/8',
};
const IN_PATH: Absent = {
  set: setOf(each("?#")),
  reason: "it is a path without query",
  help: "compare arg_<name> for a parameter of the query, or request_uri",
};
/** First characters of a request target; `OPTIONS *` has no path. */
const BEGINS_PATH = setOf(each("/*"));
const PORT = /:(?:\d+|\\d[+*]|\[0-9\][+*])\)?\$$/;

/** @returns undefined if values may match the pattern, or if that is not certain */
export function impossiblePattern(
  name: string,
  pattern: string,
  caseless: boolean,
  regex: Regex,
): ValueFault | undefined {
  const choices = CHOICES[name];
  if (choices !== undefined) {
    const matches = choices.some((choice) => foundIn(regex, choice) !== false);
    return matches ? undefined : { reason: choicesReason(choices) };
  }
  const absent = absentOf(name);
  if (absent.length === 0) return undefined;
  const node = parseRegex(pattern, caseless ? "i" : "");
  if (node === undefined) return undefined;
  const found = absent.find(({ set }) => needsOneOf(set, node));
  if (found !== undefined)
    return { reason: found.reason, ...(found.help !== undefined && { help: found.help }) };
  if (name === "uri" && isAnchoredOutside(BEGINS_PATH, node)) return { reason: 'a path begins with "/"' };
  if (IS_HOST.test(name) && PORT.test(pattern))
    return {
      reason: "the host is compared without port",
      help: "leave the port out; server_port is the port that took the request",
    };
  return undefined;
}

function absentOf(name: string): readonly Absent[] {
  if (IS_METHOD.test(name)) return [IN_METHOD];
  if (IS_HOST.test(name)) return IN_HOST;
  if (ADDRESSES.has(name)) return [IN_ADDRESS];
  return IS_PATH.test(name) ? [IN_PATH] : [];
}

/** Reports whether every match contains a character of the set. */
function needsOneOf(set: CharSet, node: Node): boolean {
  const needs = (part: Node) => needsOneOf(set, part);
  switch (node.kind) {
    case "set":
      return isWithin(node.set, set);
    case "sequence":
      return node.items.some(needs);
    case "choice":
      return node.branches.every(needs);
    case "group":
    case "atomic":
      return needs(node.body);
    case "look":
      return !node.negative && needs(node.body);
    case "repeat":
      return node.min > 0 && needs(node.body);
    case "conditional":
      return needs(node.yes) && needs(node.no);
    default:
      return false;
  }
}

const isWithin = (inner: CharSet, outer: CharSet): boolean =>
  inner.ranges.length > 0 && disjoint(inner, negate(outer, LAST_BYTE));

/** Reports whether every match is at the start of the text and begins with a character outside the set. */
function isAnchoredOutside(set: CharSet, node: Node): boolean {
  if (node.kind === "group" || node.kind === "atomic") return isAnchoredOutside(set, node.body);
  if (node.kind === "choice") return node.branches.every((branch) => isAnchoredOutside(set, branch));
  if (node.kind !== "sequence") return false;
  const [first, ...rest] = node.items;
  if (first?.kind !== "assertion" || first.assertion !== "start") return false;
  return beginsOutside(set, { kind: "sequence", items: rest });
}

function beginsOutside(set: CharSet, node: Node): boolean {
  const begins = (part: Node) => beginsOutside(set, part);
  switch (node.kind) {
    case "set":
      return node.set.ranges.length > 0 && disjoint(node.set, set);
    case "sequence":
      return node.items[0] !== undefined && begins(node.items[0]);
    case "choice":
      return node.branches.every(begins);
    case "group":
    case "atomic":
      return begins(node.body);
    case "repeat":
      return node.min > 0 && begins(node.body);
    default:
      return false;
  }
}
