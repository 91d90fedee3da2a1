import { parse } from "yaml";
import { ALL_FAMILIES, type Family } from "./families.js";

const families: Readonly<Record<string, Family>> = ALL_FAMILIES;
/** Labels that Prometheus adds. */
const ADDED = ["instance", "job", "le", "alertname", "severity", "alertstate"];

const NAME = /\b((?:gw|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const GROUPING = /\b(?:by|on|group_left|ignoring|without) \(([^)]*)\)/g;
const VALUES = /^label_values\((.+), (\w+)\)$/;

/** Every expression of a file of rules, or of a dashboard with its variables. */
export function expressionsIn(text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "string" && (name === "expr" || name === "definition")) found.push(inner);
      else visit(inner);
    }
  };
  visit(parse(text));
  return found;
}

const quoted = /"(?:[^"\\]|\\.)*"/g;

/** Families that an expression names. */
export function namesIn(expression: string): string[] {
  return Array.from(expression.replace(quoted, '""').matchAll(NAME), ([, name = ""]) => familyOf(name)[0]);
}

/** The name without a histogram's suffix, and its family. */
function familyOf(name: string): [string, Family | undefined] {
  if (families[name] !== undefined) return [name, families[name]];
  const base = name.replace(/_(?:bucket|sum|count)$/, "");
  return families[base]?.type === "histogram" ? [base, families[base]] : [name, undefined];
}

/** What an expression asks for that the gateway does not have. */
export function faultsOf(expression: string): string[] {
  const text = expression.replace(quoted, '""');
  const labels = new Set(ADDED);
  const faults: string[] = [];
  for (const [, name = "", matchers = ""] of text.matchAll(NAME)) {
    const [base, family] = familyOf(name);
    if (family === undefined) {
      faults.push(`no such metric: ${name}`);
      continue;
    }
    for (const label of family.labels) labels.add(label);
    if (family.type === "histogram" && base === name)
      faults.push(`${name} is a histogram: _bucket, _sum or _count`);
    if (family.type === "gauge" && new RegExp(`(?:rate|increase)\\(${name}\\b`).test(text))
      faults.push(`${name} is a gauge, and has no rate`);
    const named = Array.from(matchers.matchAll(/(\w+)\s*[=!]/g), ([, label = ""]) => label);
    const own = [...family.labels, "instance", "job", "le"];
    for (const label of named) if (!own.includes(label)) faults.push(`${name} has no label ${label}`);
  }
  const grouped = Array.from(text.matchAll(GROUPING), ([, list = ""]) => list.split(", ")).flat();
  const [, , chosen] = VALUES.exec(text) ?? [];
  for (const label of [...grouped, ...(chosen === undefined ? [] : [chosen])])
    if (label !== "" && !labels.has(label) && faults.length === 0)
      faults.push(`no metric here has a label ${label}`);
  return faults;
}
