import type { Catalogue, CatalogueEntry } from "../../model/diagnostic.js";
import { load } from "./load.js";
import { packages } from "./packages.js";
import { parse } from "./parse.js";
import { expressions } from "./plan-expressions.js";
import { logging } from "./plan-logging.js";
import { rewriting } from "./plan-rewriting.js";
import { policy } from "./policy.js";
import { regex } from "./regex.js";
import { resolve } from "./resolve.js";
import { validate } from "./validate.js";

/** GW8xxx: parts of a plan that a target cannot express. */
const target: Catalogue = {
  GW8001: {
    severity: "warning",
    summary: "a plugin without a description in prose",
    message: 'plugin "{plugin}" has no description in prose, so the text omits it',
    help: 'ask its author to add "describe" to the definition: see docs/plugin-guide.md',
    explain: `\`gwc explain-route\` describes a route in sentences that its plugins provide. The plugin runs nevertheless; only its part of the
description is missing, so the text is incomplete.

\`\`\`js
export default definePlugin({
  name: "hello",
  describe: ({ data }) => [\`sets the response header \${data.name}\`],
  // …
});
\`\`\``,
  },
};

const OURS =
  "This is a bug in gwc, not a mistake in the configuration. Please report it with the output of `gwc plan`.";

const check: Catalogue = {
  GW5001: {
    severity: "error",
    summary: "generated module fails its type check",
    message: "{file}:{line}: {message}",
    help: "please report this: generated code must always be correct",
    explain: OURS,
  },
  GW5002: {
    severity: "error",
    summary: "generated module is not in its final layout",
    message: "{file}:{line}: {message}",
    help: "please report this: formatting must not change generated code",
    explain: OURS,
  },
  GW5003: {
    severity: "error",
    summary: "generated module uses a name outside of the runtime interface",
    message: "{file}: {message}",
    help: "please report this: generated code may use only the runtime",
    explain: OURS,
  },
  GW5004: {
    severity: "error",
    summary: "generated module that does not load",
    message: "{file}: {message}",
    help: "make the resource smaller: fewer or shorter settings in one route",
    explain: `Before a module is published it is compiled in the same way as in a worker, so that every accepted module loads. If V8
rejects a module, the module is usually too large or nested too deeply.`,
  },
};

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
