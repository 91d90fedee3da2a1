import { environmentReferences, type NeededVariable, variableOf } from "../../runtime/abi/environment.js";
import { parseSource } from "../1-parse/parse.js";
import { valueAt } from "../1-parse/values.js";
import { resourceSecretPaths, secretPaths } from "../2-validate/annotations.js";
import { ownId } from "../2-validate/resource.js";
import { singular } from "../3-resolve/reference.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { CompileInput } from "../model/input.js";
import { type Kind, kinds, type Resource } from "../model/resource.js";
import type { Path, SourceText } from "../model/source.js";

type Environment = CompileInput["environment"];

/** Reports variables that are not set where the gateway runs: it would reject every client that needs the secret. */
export function unsetSecrets(resource: Resource, environment: Environment): Diagnostic[] {
  return unsetIn(resource, environment).map(({ name, place, path }) =>
    diagnostic("GW3016", resource.spans.value(path), { name, place }),
  );
}

/** Lists variables for a process that runs a build of the resources. */
export function neededVariables(resources: readonly Resource[]): NeededVariable[] {
  return resources.flatMap((resource) =>
    mentionsVariable(resource.value) ? unsetIn(resource, {}).map(({ name, place }) => ({ name, place })) : [],
  );
}

/** Skipping the schemas of most resources saves a third of a second for 20,000 routes. */
function mentionsVariable(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${{");
  if (typeof value !== "object" || value === null) return false;
  for (const name in value) if (mentionsVariable((value as Record<string, unknown>)[name])) return true;
  return false;
}

function unsetIn(
  { kind, id, value }: Resource,
  environment: Environment,
): (NeededVariable & { path: Path })[] {
  return resourceSecretPaths(kind, value).flatMap((path) => {
    if (isOfDisabled(value, path)) return [];
    const place = secretPlace(kind, id, path);
    return unsetNames(valueAt(value, path), environment).map((name) => ({ name, place, path }));
  });
}

/** Checks files that are only checked or built, where the variables need not exist. */
export function unsetSecretsOfFiles(sources: readonly SourceText[], environment: Environment): Diagnostic[] {
  return sources.flatMap((source) => {
    if (!MAY_REFER.test(source.text)) return [];
    const { document } = parseSource(source);
    if (!document) return [];
    const { value, spans } = document;
    return secretPaths(value).flatMap((path) =>
      unsetNames(valueAt(value, path), environment).map((name) =>
        diagnostic("GW3017", spans.value(path), { name, place: placeInFile(value, path) }),
      ),
    );
  });
}

/** Test before parsing a file again: braces in plain form, or as escapes of a quoted text. */
const MAY_REFER = /\{\{|\\[uUx\r\n]/;

function placeInFile(document: unknown, path: Path): string {
  const [first, , ...below] = path;
  const kind = kinds().find((known) => known === first);
  if (kind === undefined) return `"${path.join(".")}"`;
  return secretPlace(kind, ownId(kind, valueAt(document, path.slice(0, 2))) ?? "", below);
}

/** Name in diagnostics: `"plugins.key-auth.key" of consumer "jack"`. */
export function secretPlace(kind: Kind, id: string, path: Path): string {
  return `"${path.join(".")}" of ${singular(kind)} "${id}"`;
}

function unsetNames(text: unknown, environment: Environment): string[] {
  if (typeof text !== "string") return [];
  const unset = environmentReferences(text).filter(({ name, fallback }) => {
    const value = variableOf(environment, name) ?? fallback;
    return value === undefined || value === "";
  });
  return [...new Set(unset.map(({ name }) => name))];
}

/** A plugin that is switched off may be unfinished. */
function isOfDisabled(value: unknown, [first, plugin]: Path): boolean {
  if (first !== "plugins" || plugin === undefined) return false;
  const meta = valueAt(value, ["plugins", plugin, "_meta"]) as { disable?: unknown } | undefined;
  return meta?.disable === true;
}
