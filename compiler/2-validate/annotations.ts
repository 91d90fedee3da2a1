import { environmentReferences } from "../../runtime/abi/environment.js";
import { isObject } from "../../runtime/abi/json-object.js";
import { holdsKey } from "../../runtime/abi/pem.js";
import { type SchemaNode, schemaFile, schemaFiles } from "../../schema/schemas.js";
import type { LossyNumber } from "../1-parse/marks.js";
import { valueAt } from "../1-parse/values.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { type Kind, schemaOfKind } from "../model/resource.js";
import type { Path, Spans } from "../model/source.js";
import { alternatives, Described, describedBy } from "./described.js";
// Imported before the first use: the schemas then include what plugins mark as secret.
import "../plugin/registry.js";

export interface Annotations {
  /** The process that opens the value resolves `${{VAR}}` in it. */
  runtime: boolean;
  /** Never printed, planned or built; `${{VAR}}` is resolved as for `runtime`. */
  secret: boolean;
}

/** @param key annotations of the key instead of its value */
export function annotationsAt(path: Path, key = false): Annotations {
  const [field] = key ? path.slice(-1) : [];
  let place = describedBy("configuration.json");
  let secret = false;
  for (const step of field === undefined ? path : path.slice(0, -1)) {
    place = place.at(step);
    secret ||= place.isSecret;
  }
  if (field !== undefined) place = namesOf(place);
  return { runtime: place.places.some(({ node }) => node["x-runtime"]), secret: secret || place.isSecret };
}

const namesOf = ({ places }: Described): Described =>
  new Described(
    places.flatMap(({ file, node }) =>
      node.propertyNames ? alternatives({ file, node: node.propertyNames }) : [],
    ),
  );

/** Reports whether `substitute` leaves `${{VAR}}` in a text unchanged. */
export function isSymbolic(path: Path, key: boolean): boolean {
  const { runtime, secret } = annotationsAt(path, key);
  return runtime || secret;
}

export function isSecret(path: Path, key = false): boolean {
  return annotationsAt(path, key).secret;
}

function describedAt(path: Path): SchemaNode[] {
  return path
    .reduce((place, step) => place.at(step), describedBy("configuration.json"))
    .places.map(({ node }) => node);
}

export function secretPaths(document: unknown): Path[] {
  const found: Path[] = [];
  collect(describedBy("configuration.json"), document, [], found);
  return found;
}

export function resourceSecretPaths(kind: Kind, value: unknown): Path[] {
  return schemaSecretPaths(schemaOfKind(kind), value);
}

/** Returns the paths of all secrets of a value that a schema file describes. */
export function schemaSecretPaths(file: string, value: unknown): Path[] {
  const found: Path[] = [];
  collect(describedBy(file), value, [], found);
  return found;
}

/** The name of a variable reveals nothing. */
export function literalSecretPaths(kind: Kind, value: unknown): Path[] {
  return resourceSecretPaths(kind, value).filter((path) => isLiteral(valueAt(value, path)));
}

/** Secrets that the texts of one resource reveal: in plain text, and defaults of variables. */
export function exposedSecretPaths(kind: Kind, value: unknown): Path[] {
  return resourceSecretPaths(kind, value).filter((path) => isExposed(valueAt(value, path)));
}

/** The name of a variable reveals nothing, its default does. */
export const isExposed = (secret: unknown): secret is string =>
  isLiteral(secret) ||
  (typeof secret === "string" && environmentReferences(secret).some(({ fallback = "" }) => fallback !== ""));

export const isLiteral = (secret: unknown): secret is string =>
  typeof secret === "string" && secret !== "" && environmentReferences(secret).length === 0;

/** Returns the names of fields that hold a secret anywhere: "key". */
export function secretNames(): string[] {
  const names = new Set<string>();
  const visit = (node: unknown, field: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      // Annotations of list items apply to the field that holds the list.
      const named = name === "items" ? field : name;
      // "headers" holds secrets in one plugin and none in others: the name alone says nothing.
      const isOfMap = name === "additionalProperties";
      if ((child as SchemaNode | null)?.["x-secret"] === true && !isOfMap) names.add(named);
      visit(child, named);
    }
  };
  for (const file of schemaFiles()) visit(schemaFile(file).node, "");
  return [...names].sort();
}

/**
 * Possible secrets that no schema describes, only for redaction of diagnostics: misspelt fields next to a
 * secret, and fields with a secret's name too deep, in a list, or in an unknown plugin. Private keys count
 * everywhere.
 */
export function misplacedSecretPaths(document: unknown): Path[] {
  const found: Path[] = [];
  collectMisplaced(describedBy("configuration.json"), document, [], {
    found,
    names: new Set(secretNames()),
  });
  return found;
}

function collectMisplaced(
  described: Described,
  value: unknown,
  path: Path,
  search: { found: Path[]; names: ReadonlySet<string> },
): void {
  for (const [step, member] of membersOf(value)) {
    const inside = described.at(step);
    const suspect = described.besideSecret || search.names.has(String(step));
    const isUnknown = !inside.isKnown && suspect && !isHarmless(step, member);
    if (isUnknown || (typeof member === "string" && holdsKey(member))) search.found.push([...path, step]);
    else if (typeof member === "object") collectMisplaced(inside, member, [...path, step], search);
  }
}

function membersOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value) : [];
}

/** The name of a variable, a number, or a URL (or path) without user information reveals nothing. */
function isHarmless(name: string | number, value: unknown): boolean {
  if (typeof value !== "string") return typeof value !== "object";
  return (
    /^\$\{\{[^{}]*\}\}$/.test(value) ||
    /^https?:\/\/[^@]*$/.test(value) ||
    (name === "url" && /^\/[^@]*$/.test(value))
  );
}

function collect(described: Described, value: unknown, path: Path, found: Path[]): void {
  if (described.isSecret) {
    found.push(path);
    return;
  }
  for (const [step, member] of membersOf(value)) {
    const inside = described.at(step);
    // Most values hold no secret: no path is made for them.
    if (inside.holdsSecret) collect(inside, member, [...path, step], found);
  }
}

/**
 * Numbers that were probably meant as texts: if a field accepts both, nothing else reports it. Operands of
 * conditions are exempt, since they may be anything and compare as what they are.
 */
export function lossyNumberDiagnostics(lossy: readonly LossyNumber[], spans: Spans): Diagnostic[] {
  return lossy.flatMap(({ path, written }) => {
    const types = new Set(describedAt(path).flatMap(({ type = [] }) => type));
    const value = Number(written);
    const isNumber = types.has("number") || (types.has("integer") && Number.isInteger(value));
    if (!isNumber || !types.has("string") || types.has("boolean") || isSecret(path)) return [];
    return [diagnostic("GW1024", spans.value(path), { written, value })];
  });
}
