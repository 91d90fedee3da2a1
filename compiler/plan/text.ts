import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Availability } from "../../runtime/abi/variables.js";
import { absentField } from "./absent-fields.js";
import type { Text, TextPart } from "./plan.js";
import { availabilityHelp, findVariable, isAvailable, nearestVariable } from "./variable.js";

/** What a text may refer to at its place in the configuration. */
export interface TextRules {
  /** How far things have gone when the text is made. */
  now: Availability;
  /** Where the text is used, in an operator's words: "a request header". */
  place: string;
  /** Highest capture of every regex_uri pair, lowest first to be exceeded; undefined where there are no captures. */
  captures: number | undefined;
}

/** A finding about a text, and where in the text. */
export interface TextFault {
  code: string;
  params: Record<string, string | number>;
  /** In place of the catalogue's help. */
  help: string | undefined;
  /** Index of the reference that is wrong, and how many characters it has. */
  offset: number;
  length: number;
  /** Number of wrong references after this one, which nobody would read. */
  more?: number;
}

/** Wrong references of one text that are told: each costs a look at the text, which may have 700,000. */
const MAX_FAULTS = 100;

/** Reports a finding about the reference under way. Its help is made for findings that are told alone. */
type Fault = (code: string, params: Record<string, string | number>, help?: () => string | undefined) => void;

/** `\$`, `${…}`, `$12`, `$name`; names of groups that use dots may go on after them. */
const REFERENCE = /\\\$|\$\{([^}]*)(\}?)|\$(\d+)|\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)/g;

/**
 * A text with `$name`, `${name}`, `${name ?? default}`, `\$` and captures, cut into its parts. A lone `$` and `$$`
 * stay as they are (reference 5.3 and 16.6).
 */
export function parseText(text: string, rules: TextRules, report: (fault: TextFault) => void): Text {
  const parts: TextPart[] = [];
  const faults: TextFault[] = [];
  let more = 0;
  let literal = "";
  let end = 0;
  const add = (part: TextPart | undefined): void => {
    if (part === undefined) return;
    if (literal !== "") parts.push({ literal: utf8(literal) });
    literal = "";
    parts.push(part);
  };
  for (const found of text.matchAll(REFERENCE)) {
    const [whole, braced, closed, digits, plain] = found;
    literal += text.slice(end, found.index);
    end = found.index + whole.length;
    const fault: Fault = (code, params, help) => {
      if (faults.length >= MAX_FAULTS) more += 1;
      else faults.push({ code, params, help: help?.(), offset: found.index, length: end - found.index });
    };
    if (whole === "\\$") literal += "$";
    else if (digits !== undefined) add(capture(digits, rules, fault));
    else if (braced !== undefined) add(bracedReference(braced, closed === "}", rules, fault));
    else if (plain !== undefined) {
      const name = nameWithoutForeignDots(plain);
      end -= plain.length - name.length;
      add(variable(name, undefined, rules, fault));
    }
  }
  for (const [index, fault] of faults.entries())
    report(more > 0 && index === MAX_FAULTS - 1 ? { ...fault, more } : fault);
  literal += text.slice(end);
  if (literal !== "" || parts.length === 0) parts.push({ literal: utf8(literal) });
  // A copy has no room to grow: what was pushed to keeps 17 places, 130 bytes for each text of a plan.
  return parts.slice();
}

/** `$arg_q.txt` is `$arg_q` and ".txt": only groups whose names hold dots (`post_arg.a.b`) take them. */
function nameWithoutForeignDots(name: string): string {
  const dot = name.indexOf(".");
  if (dot < 0 || findVariable(name)?.variable.name.endsWith(".")) return name;
  return name.slice(0, dot);
}

function bracedReference(
  inside: string,
  closed: boolean,
  rules: TextRules,
  fault: Fault,
): TextPart | undefined {
  if (!closed) {
    fault("GW4003", { text: `\${${inside}` });
    return undefined;
  }
  const [, name = "", fallback] = /^\s*(.*?)\s*(?:\?\?\s*(.*?)\s*)?$/s.exec(inside) ?? [];
  if (/^\d+$/.test(name)) return capture(name, rules, fault);
  return variable(name, fallback, rules, fault);
}

/** `uri` replaces all of a path: what a pattern matched in it is known to regex_uri alone. */
const CAPTURE_IN_URI =
  'write regex_uri: ["^/old/(.*)", "/new/$1"] in place of uri; a dollar sign is written \\$';

function capture(digits: string, rules: TextRules, fault: Fault): TextPart | undefined {
  const index = Number(digits);
  const written = { capture: `$${digits}` };
  if (rules.captures === undefined)
    fault("GW4004", written, () => (rules.place === "uri" ? CAPTURE_IN_URI : undefined));
  else if (index > rules.captures) fault("GW4005", { ...written, groups: counted(rules.captures) });
  else return { capture: index };
  return undefined;
}

function counted(captures: number): string {
  return captures === 0 ? "no captures" : captures === 1 ? "one capture" : `${captures} captures`;
}

function variable(
  name: string,
  fallback: string | undefined,
  rules: TextRules,
  fault: Fault,
): TextPart | undefined {
  const found = findVariable(name);
  if (found === undefined) {
    reportUnknown(name, "$", fault);
    return undefined;
  }
  if (!isAvailable(found.variable, rules.now)) {
    fault("GW4002", { name, place: rules.place }, () => availabilityHelp(found.variable, rules.now));
    return undefined;
  }
  const absent = absentField(found);
  if (absent !== undefined) fault("GW4418", { name: `$${name}`, field: absent.field }, () => absent.help);
  return fallback === undefined ? { variable: name } : { variable: name, fallback: utf8(fallback) };
}

/** `sign` is "$" in texts and "" in expressions, which name variables bare. */
export function reportUnknown(name: string, sign: "$" | "", fault: Fault): void {
  fault("GW4001", { name: `${sign}${name}` }, () => {
    const near = nearestVariable(name);
    return near === undefined ? undefined : `did you mean "${sign}${near}"?`;
  });
}
