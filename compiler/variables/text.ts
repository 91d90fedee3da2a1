import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Availability } from "../../runtime/abi/variables.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Report, Span } from "../model/diagnostic.js";
import type { Text, TextPart } from "../model/plan.js";
import { offsetToSpan } from "../model/source.js";
import { absentField } from "./absent-fields.js";
import { availabilityHelp, findVariable, isAvailable, nearestVariable } from "./variable.js";

export interface TextRules {
  now: Availability;
  /** Use in an operator's words: "a request header". */
  place: string;
  /** Highest capture of any regex_uri pair; undefined if there are no captures. */
  captures: number | undefined;
}

export interface TextFault {
  code: string;
  params: Record<string, string | number>;
  /** Replaces the help of the catalogue. */
  help: string | undefined;
  /** Index and number of characters of the wrong reference. */
  offset: number;
  length: number;
  /** Wrong references after this one, which are not listed. */
  more?: number;
}

/** Maximum reported references: each report scans the text, which may have 700,000 references. */
const MAX_FAULTS = 100;

/** Computes help only for faults that are reported individually. */
type Fault = (code: string, params: Record<string, string | number>, help?: () => string | undefined) => void;

/** `\$`, `${…}`, `$12`, `$name`; names of groups that use dots may continue after a dot. */
const REFERENCE = /\\\$|\$\{([^}]*)(\}?)|\$(\d+)|\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)/g;

/**
 * Splits at `$name`, `${name}`, `${name ?? default}`, `\$` and captures. A lone `$` and `$$` are unchanged
 * (reference 5.3 and 16.6).
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
  // A copy has no spare capacity: an array after `push` keeps 17 slots, 130 bytes for each text of a plan.
  return parts.slice();
}

/** Reads `$arg_q.txt` as `$arg_q` and ".txt": only groups whose names hold dots (`post_arg.a.b`) include them. */
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

/** `uri` replaces a whole path; only regex_uri has the captures of a pattern. */
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

/** @param sign "$" in texts and "" in expressions, which name variables bare */
export function reportUnknown(name: string, sign: "$" | "", fault: Fault): void {
  fault("GW4001", { name: `${sign}${name}` }, () => {
    const near = nearestVariable(name);
    return near === undefined ? undefined : `did you mean "${sign}${near}"?`;
  });
}

/** Points at the wrong reference. @param scalar whole value; the text begins at `start` of it */
export function reportAtReference(
  scalar: string,
  start: number,
  span: Span,
  report: Report,
): (fault: TextFault) => void {
  return ({ code, params, help, offset, length, more }) => {
    const first = offsetToSpan(scalar, start + offset, span);
    const found =
      first === span ? span : { ...first, end: { ...first.start, column: first.start.column + length } };
    const notes = more === undefined ? [] : [{ message: `and ${more} more` }];
    report(diagnostic(code, found, params, { notes, ...(help !== undefined && { help }) }));
  };
}
