import type { Catalogue, CatalogueEntry } from "../../model/diagnostic.js";
import { check } from "./check.js";
import { load } from "./load.js";
import { packages } from "./packages.js";
import { parse } from "./parse.js";
import { expressions } from "./plan-expressions.js";
import { logging } from "./plan-logging.js";
import { rewriting } from "./plan-rewriting.js";
import { policy } from "./policy.js";
import { regex } from "./regex.js";
import { resolve } from "./resolve.js";
import { target } from "./target.js";
import { validate } from "./validate.js";

/** Range of codes that a step may use, both ends included. */
export const steps: readonly { name: string; from: number; to: number; entries: Catalogue }[] = [
  { name: "parse", from: 1000, to: 1999, entries: parse },
  { name: "validate", from: 2000, to: 2999, entries: validate },
  { name: "resolve", from: 3000, to: 3999, entries: resolve },
  { name: "plan", from: 4000, to: 4499, entries: { ...expressions, ...rewriting, ...logging } },
  { name: "regex", from: 4500, to: 4599, entries: regex },
  { name: "check", from: 5000, to: 5999, entries: check },
  { name: "load", from: 6000, to: 6999, entries: load },
  { name: "packages", from: 7000, to: 7999, entries: packages },
  { name: "target", from: 8000, to: 8999, entries: target },
  { name: "policy", from: 9000, to: 9999, entries: policy },
];

const all: Record<string, CatalogueEntry> = Object.assign({}, ...steps.map((step) => step.entries));

/** All codes, including those of plugins. */
export const CATALOGUE: Catalogue = all;

/**
 * Each code is in the range of the step that reports it.
 * @throws Error if a code exists already; then none is added
 */
export function registerDiagnostics(plugin: string, entries: Catalogue = {}): void {
  const taken = Object.keys(entries).find((code) => Object.hasOwn(all, code));
  if (taken !== undefined) throw new Error(`plugin ${plugin}: diagnostic ${taken} exists already`);
  Object.assign(all, entries);
}
