import { environmentReferences } from "../../runtime/abi/environment.js";
import { holdsKey } from "../../runtime/abi/pem.js";
import { type SchemaNode, schemaFile, schemaFiles } from "../../schema/schemas.js";
import type { Path } from "../parse/source.js";
import { valueAt } from "../parse/values.js";
import type { Kind } from "../resolve/resource.js";
import { alternatives, Described, describedBy } from "./described.js";
import { isObject } from "./json-values.js";
import { schemaOfKind } from "./kinds.js";
// Before the first look: what plugins mark as secret is among the schemas then.
import "../plugin/registry.js";

/** What the schemas say of a value beyond its form. */
export interface Annotations {
  /** `${{VAR}}` in it is resolved by the process that opens it. */
  runtime: boolean;
  /** Never printed, planned or built; `${{VAR}}` as for runtime. */
  secret: boolean;
}

/** Annotations of the value, or with `key` of the key, at a path of a configuration file. */
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

/** Everything that the keys of a value may be. */
const namesOf = ({ places }: Described): Described =>
  new Described(
    places.flatMap(({ file, node }) =>
      node.propertyNames ? alternatives({ file, node: node.propertyNames }) : [],
    ),
  );

/** For `substitute`: texts whose `${{VAR}}` stay as they are. */
export function isSymbolic(path: Path, key: boolean): boolean {
  const { runtime, secret } = annotationsAt(path, key);
  return runtime || secret;
}

/** Whether the value (or with `key`, the key) is x-secret. */
export function isSecret(path: Path, key = false): boolean {
  return annotationsAt(path, key).secret;
}

/** What the schemas say of the value at a path of a configuration file: every form that it may have. */
export function describedAt(path: Path): SchemaNode[] {
  return path
    .reduce((place, step) => place.at(step), describedBy("configuration.json"))
    .places.map(({ node }) => node);
}

/** Paths of all secrets in a configuration file. */
export function secretPaths(document: unknown): Path[] {
  const found: Path[] = [];
  collect(describedBy("configuration.json"), document, [], found);
  return found;
}

/** Paths of all secrets of one resource. */
export function resourceSecretPaths(kind: Kind, value: unknown): Path[] {
  const found: Path[] = [];
  collect(describedBy(schemaOfKind(kind).file), value, [], found);
  return found;
}

/** Paths of the secrets that one resource writes out; a text that names a variable tells nobody anything. */
export function literalSecretPaths(kind: Kind, value: unknown): Path[] {
  return resourceSecretPaths(kind, value).filter((path) => isLiteral(valueAt(value, path)));
}

/** Paths of the secrets of one resource that its texts tell: those written out, and those that are the default of a variable. */
export function exposedSecretPaths(kind: Kind, value: unknown): Path[] {
  return resourceSecretPaths(kind, value).filter((path) => isExposed(valueAt(value, path)));
}

/** Reports whether a field for a secret tells it: a name of a variable tells nothing, its default does. */
export const isExposed = (secret: unknown): secret is string =>
  isLiteral(secret) ||
  (typeof secret === "string" && environmentReferences(secret).some(({ fallback = "" }) => fallback !== ""));

/** Reports whether a field for a secret holds one, and no name of a variable. */
export const isLiteral = (secret: unknown): secret is string =>
  typeof secret === "string" && secret !== "" && environmentReferences(secret).length === 0;

/** Field names that hold a secret somewhere: "key". */
export function secretNames(): string[] {
  const names = new Set<string>();
  const visit = (node: unknown, field: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      // What is said of the items of a list is said of the field that holds it.
      const named = name === "items" ? field : name;
      // "headers" holds secrets in one plugin and none in others: its name alone says nothing.
      const isOfMap = name === "additionalProperties";
      if ((child as SchemaNode | null)?.["x-secret"] === true && !isOfMap) names.add(named);
      visit(child, named);
    }
  };
  for (const file of schemaFiles()) visit(schemaFile(file).node, "");
  return [...names].sort();
}

/**
 * Paths of what may be a secret in a place that no schema describes: a field misspelt beside one, a field of a secret's name
 * that stands too deep, in a list, or in a plugin that does not exist; and of private keys, wherever they stand. For what findings
 * show; nothing else reads them there.
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

/** What tells nobody anything: the name of a variable, a number, an address (or a path in its place) without user information. */
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
    // Most hold none: no path is made for them.
    if (inside.holdsSecret) collect(inside, member, [...path, step], found);
  }
}
