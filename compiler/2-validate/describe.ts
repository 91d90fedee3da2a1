import { nearest } from "../diagnostics/nearest.js";
import { diagnostic, type Params } from "../diagnostics/report.js";
import type { Diagnostic, Fix, Note } from "../model/diagnostic.js";
import type { Spanned } from "../model/source.js";
import { alternative } from "./alternatives.js";
import {
  fixed,
  meantField,
  missingFix,
  removeFix,
  renameFix,
  SWITCHES,
  typeFix,
  unknownFieldHelp,
  valueFix,
} from "./fixes.js";
import { findFormat } from "./formats.js";
import { type ErrorScope, type ReportedFault, reportedFaults } from "./reported-fault.js";
import { MAX_FAULTS, type SchemaFault } from "./schema-faults.js";
import { either, foundWords, label, quoted, typeWords } from "./words.js";

export interface Subject extends ErrorScope {
  located: Spanned;
  /** "route", "plugin \"key-auth\"". */
  root: string;
}

/** Returns one diagnostic for each root cause, at most 100. The last one counts the rest. */
export function describe(faults: readonly SchemaFault[], subject: Subject): Diagnostic[] {
  const expanded = reportedFaults(faults, subject);
  const seen = new Set<string>();
  const found: Diagnostic[] = [];
  for (const { fault, errorMessage, errorRank, errorReason } of withoutMistyped(
    expanded.slice(0, MAX_FAULTS),
  )) {
    const texts = { errorMessage, errorRank, ...(errorReason !== undefined && { errorReason }) };
    const finding = { ...describeOne(fault, subject), ...texts };
    const { start } = finding.span ?? { start: undefined };
    const place = `${start?.line}:${start?.column} ${finding.code} ${finding.message}`;
    if (seen.has(place)) continue;
    seen.add(place);
    found.push(finding);
  }
  const untold = Math.max(0, expanded.length - MAX_FAULTS);
  const more = expanded.reduce((sum, { fault }) => sum + (fault.more ?? 0), untold);
  if (more > 0) found.at(-1)?.notes.push({ message: `and ${more} more` });
  return found;
}

/** A required field under a nearly right name ("url" for "uri") is one mistake, the unknown name. */
function withoutMistyped(expanded: readonly ReportedFault[]): ReportedFault[] {
  const meant = new Set(
    expanded.flatMap(({ fault: { keyword, field, node, path } }) => {
      if (keyword !== "additionalProperties" || field === undefined) return [];
      const name = nearest(field, Object.keys(node.properties ?? {}));
      return name === undefined ? [] : [JSON.stringify([...path, name])];
    }),
  );
  return expanded.filter(
    ({ fault }) => !lacking(fault).some((name) => meant.has(JSON.stringify([...fault.path, name]))),
  );
}

function lacking(fault: SchemaFault): readonly string[] {
  if (fault.keyword === "required") return [fault.field ?? ""];
  if (fault.branches === undefined) return [];
  const cause = alternative(fault);
  return cause.kind === "missing" ? cause.fields : [];
}

function describeOne(fault: SchemaFault, subject: Subject): Diagnostic {
  switch (fault.keyword) {
    case "anyOf":
    case "oneOf":
      return describeAlternatives(fault, subject);
    case "required":
      return describeMissing(fault, subject);
    case "additionalProperties": {
      const field = fault.field ?? "";
      const help = unknownFieldHelp(field, fault.node, fault.file);
      const params = { field: quoted(field), where: label(fault.path, subject.root) };
      const span = subject.located.spans.key([...fault.path, field]);
      const meant = meantField(field, fault.node);
      const fix = meant === undefined ? undefined : renameFix(subject.located, fault.path, field, meant);
      return diagnostic("GW2101", span, params, { ...(help !== undefined && { help }), ...fixed(fix) });
    }
    case "not":
      return describeTogether(fault, subject);
    case "uniqueItems":
      return describeRepeated(fault, subject);
    default:
      return fault.keyword.startsWith("name:") ? describeName(fault, subject) : describeValue(fault, subject);
  }
}

function describeMissing(fault: SchemaFault, { located, root }: Subject): Diagnostic {
  const field = quoted(fault.field);
  const condition = fault.steps.findLast((step) => step.kind === "then");
  const when = condition?.node["x-when"];
  if (when === undefined) {
    const where = label(fault.path, root);
    return diagnostic(
      "GW2102",
      located.spans.key(fault.path),
      { field, where },
      {
        ...helped(fault),
        ...fixed(missingFix(located, fault)),
      },
    );
  }
  const cause = condition?.node.if?.required?.[0];
  const place = cause === undefined ? fault.path : [...fault.path, cause];
  return diagnostic("GW2121", located.spans.key(place), { field, when });
}

/** The error is at the later field, a note at the earlier. */
function describeTogether(fault: SchemaFault, subject: Subject, fields?: readonly string[]): Diagnostic {
  const dependent = fault.steps.findLast((step) => step.kind === "dependency");
  const names = fields ?? [...(dependent ? [dependent.name] : []), ...(fault.node.not?.required ?? [])];
  const { spans } = subject.located;
  const places = names
    .map((name) => ({ name, span: spans.key([...fault.path, name]) }))
    .sort((a, b) => a.span.start.line - b.span.start.line || a.span.start.column - b.span.start.column);
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return describeValue(fault, subject);
  const notes: Note[] = [{ message: `"${first.name}" is set here`, span: first.span }];
  return diagnostic("GW2107", last.span, { field: last.name, other: first.name }, { notes });
}

function describeRepeated(fault: SchemaFault, { located, root }: Subject): Diagnostic {
  const [first, second] = fault.equal ?? [0, 0];
  const value = (fault.value as unknown[])[second];
  const notes: Note[] = [
    { message: "it is first listed here", span: located.spans.value([...fault.path, first]) },
  ];
  const params = { value: quoted(value), list: label(fault.path, root) };
  const place = [...fault.path, second];
  const fix = removeFix(located, place);
  return diagnostic("GW2111", located.spans.value(place), params, { notes, fix });
}

function describeName(fault: SchemaFault, subject: Subject): Diagnostic {
  const field = fault.field ?? "";
  const span = subject.located.spans.key([...fault.path, field]);
  const format = findFormat(fault.node.format);
  if (format === undefined) {
    const keyword = fault.keyword.replace(/^name:/, "");
    return { ...describeValue({ ...fault, keyword, value: field }, subject), span };
  }
  const reason = format.fault(field) ?? "it is empty";
  const shown = quoted(format.shown?.(field) ?? field);
  return diagnostic(format.code, span, { value: shown, label: shown, reason });
}

function describeAlternatives(fault: SchemaFault, subject: Subject): Diagnostic {
  const { located, root } = subject;
  const meant = alternative(fault);
  if (meant.kind === "together") return describeTogether(fault, subject, meant.fields);
  if (meant.kind !== "missing") return wrongType(fault, subject, meant.kind === "type" ? meant.types : []);
  return diagnostic("GW2108", located.spans.key(fault.path), {
    where: label(fault.path, root),
    fields: either(meant.fields.map((name) => `"${name}"`)),
  });
}

/** Help of the schema for values of another form. */
function helped({ node }: SchemaFault, help = node["x-help"]): { help?: string } {
  return help === undefined ? {} : { help };
}

/** @returns undefined if the types say enough */
function typeHelp(value: unknown, types: readonly string[]): string | undefined {
  const wantsNumber = types.includes("integer") || types.includes("number");
  if (typeof value === "string" && wantsNumber && /^-?\d+(?:\.\d+)?$/.test(value))
    return "write the number without quotes; a value from ${{VAR}} is always text";
  if (typeof value === "number" && types.includes("string"))
    return "put it in quotes: otherwise it is a number, and YAML drops zeros of numbers";
  if (typeof value !== "string" || !types.includes("boolean")) return undefined;
  const meant = SWITCHES[value.toLowerCase()];
  return meant === undefined ? undefined : `write ${meant}: YAML 1.2 reads ${value} as text`;
}

function wrongType(fault: SchemaFault, { located, root }: Subject, types: readonly string[]): Diagnostic {
  const { value } = fault;
  return diagnostic(
    "GW2103",
    located.spans.value(fault.path),
    {
      label: label(fault.path, root),
      expected: typeWords(types),
      found: foundWords(value, fault.secret),
    },
    {
      ...helped(fault, fault.node["x-help"] ?? typeHelp(value, types)),
      ...fixed(typeFix(located, fault, types)),
    },
  );
}

function describeValue(fault: SchemaFault, subject: Subject): Diagnostic {
  const { node, value, keyword } = fault;
  const { located, root } = subject;
  const shown = fault.secret ? "what is given" : quoted(value);
  const named = label(fault.path, root);
  const at = (code: string, params: Params, help?: string, fix?: Fix) =>
    diagnostic(
      code,
      located.spans.value(fault.path),
      { label: named, found: shown, ...params },
      { ...(help ? { help } : {}), ...fixed(fix) },
    );
  switch (keyword) {
    case "type":
      return wrongType(fault, subject, [node.type ?? []].flat());
    case "enum":
    case "const": {
      const choices = node.enum ?? [node.const];
      const texts = choices.map((choice) => (typeof choice === "string" ? choice : quoted(choice)));
      const near = typeof value === "string" ? nearest(value, texts) : undefined;
      const meant = near === undefined ? undefined : choices[texts.indexOf(near)];
      const fix = meant === undefined ? undefined : valueFix(located, fault, meant);
      return at("GW2104", { choices: either(texts) }, near && `did you mean ${near}?`, fix);
    }
    case "pattern": {
      const help = /^[~^]/.test(String(value)) ? node["x-pattern-help"] : undefined;
      return at(
        "GW2106",
        { expected: node["x-pattern-description"] ?? `a text that matches ${node.pattern}` },
        help,
      );
    }
    case "format": {
      const format = findFormat(node.format);
      const reason = typeof value === "string" ? format?.fault(value) : undefined;
      const told = typeof value === "string" && !fault.secret && format?.shown?.(value);
      return at(format?.code ?? "GW2106", { value: told ? quoted(told) : shown, reason: reason ?? "" });
    }
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
      return at("GW2105", { bounds: bounds(fault) });
    case "minLength":
      // The length of a name in place of a text says nothing: cert: cert.pem.
      if (isOtherThanSaid(fault)) return at("GW2106", { expected: node["x-pattern-description"] ?? "" });
      return at("GW2109", { length: [...String(value)].length, bounds: lengthBounds(fault) });
    case "maxLength":
      return at("GW2109", { length: [...String(value)].length, bounds: lengthBounds(fault) });
    case "minProperties":
      if (Object.keys(value as object).length === 0) return at("GW2112", {});
      return at("GW2110", { bounds: `at least ${node.minProperties} fields` });
    case "maxProperties":
      return at("GW2110", { bounds: `at most ${node.maxProperties} fields` });
    default:
      return at("GW2110", { bounds: itemBounds(fault) }, node["x-help"] ?? emptyHelp(value));
  }
}

/** Schemas of required lists have their own help. */
function emptyHelp(value: unknown): string | undefined {
  return Array.isArray(value) && value.length === 0 ? "omit the field instead of an empty list" : undefined;
}

/** The text is too short and also misses a pattern that the schema describes in words. */
function isOtherThanSaid({ node, value }: SchemaFault): boolean {
  if (node["x-pattern-description"] === undefined || node.pattern === undefined || value === "") return false;
  return !new RegExp(node.pattern, "u").test(String(value));
}

function bounds({ node }: SchemaFault): string {
  if (node.exclusiveMinimum !== undefined) return `greater than ${node.exclusiveMinimum}`;
  if (node.minimum === undefined) return `at most ${node.maximum}`;
  return node.maximum === undefined ? `at least ${node.minimum}` : `from ${node.minimum} to ${node.maximum}`;
}

function lengthBounds({ node }: SchemaFault): string {
  const { minLength: least = 0, maxLength: most } = node;
  if (most === undefined) return least === 1 ? "at least one character" : `at least ${least} characters`;
  return least === 0 ? `at most ${most} characters` : `${least} to ${most} characters`;
}

function itemBounds({ node }: SchemaFault): string {
  if (node.maxItems !== undefined && node.minItems !== undefined)
    return `${node.minItems} to ${node.maxItems} items`;
  if (node.maxItems !== undefined) return `at most ${node.maxItems} items`;
  return node.minItems === 1 ? "at least one item" : `at least ${node.minItems} items`;
}
