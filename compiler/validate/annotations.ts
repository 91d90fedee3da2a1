import { environmentReferences } from "../../runtime/abi/environment.js";
import { holdsKey } from "../../runtime/abi/pem.js";
import {
  follow,
  pluginSchemaFile,
  type SchemaNode,
  type SchemaPlace,
  schemaFile,
  schemaFiles,
} from "../../schema/schemas.js";
import type { Path } from "../parse/source.js";
import { valueAt } from "../parse/values.js";
import type { Kind } from "../resolve/resource.js";
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
  return annotationsFrom(schemaFile("configuration.json"), path, key);
}

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
  const root = alternatives(schemaFile("configuration.json"));
  const inside = (places: SchemaPlace[], step: string | number) =>
    places.flatMap((place) => children(place, step)).flatMap(alternatives);
  return path.reduce(inside, root).map(({ node }) => node);
}

/** Paths of all secrets in a configuration file. */
export function secretPaths(document: unknown): Path[] {
  const found: Path[] = [];
  collect([schemaFile("configuration.json")], document, [], found);
  return found;
}

/** Paths of all secrets of one resource. */
export function resourceSecretPaths(kind: Kind, value: unknown): Path[] {
  const found: Path[] = [];
  collect([schemaFile(schemaOfKind(kind).file)], value, [], found);
  return found;
}

/** Paths of the secrets that one resource writes out; a text that names a variable tells nobody anything. */
export function literalSecretPaths(kind: Kind, value: unknown): Path[] {
  return resourceSecretPaths(kind, value).filter((path) => isLiteral(valueAt(value, path)));
}

/** Whether a field for a secret holds one, and no name of a variable. */
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
  collectMisplaced([schemaFile("configuration.json")], document, [], {
    found,
    names: new Set(secretNames()),
  });
  return found;
}

function collectMisplaced(
  places: SchemaPlace[],
  value: unknown,
  path: Path,
  search: { found: Path[]; names: ReadonlySet<string> },
): void {
  if (typeof value !== "object" || value === null) return;
  const all = places.flatMap(alternatives);
  const besideSecret = all.some(({ node }) => hasSecret(node));
  const members: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  for (const [step, member] of members) {
    const described = all.flatMap((place) => children(place, step));
    const at = [...path, step];
    const suspect = besideSecret || search.names.has(String(step));
    const isUnknown = described.length === 0 && suspect && !isHarmless(step, member);
    if (isUnknown || (typeof member === "string" && holdsKey(member))) search.found.push(at);
    else collectMisplaced(described, member, at, search);
  }
}

const withSecrets = new Map<SchemaNode, boolean>();

/** Reports whether one of the fields of a value is a secret. */
function hasSecret(node: SchemaNode): boolean {
  let found = withSecrets.get(node);
  if (found === undefined) {
    found = Object.values(node.properties ?? {}).some((child) => child["x-secret"] === true);
    withSecrets.set(node, found);
  }
  return found;
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

function collect(places: SchemaPlace[], value: unknown, path: Path, found: Path[]): void {
  const all = places.filter(holdsSecret).flatMap(alternatives);
  if (all.length === 0) return;
  if (all.some(({ node }) => node["x-secret"])) {
    found.push(path);
    return;
  }
  const members: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [step, member] of members) {
    // Most hold none: no path is made for them.
    const inside = all.flatMap((place) => children(place, step)).filter(holdsSecret);
    if (inside.length > 0) collect(inside, member, [...path, step], found);
  }
}

function annotationsFrom(root: SchemaPlace, path: Path, key: boolean): Annotations {
  let places = alternatives(root);
  let secret = false;
  for (const [index, step] of path.entries()) {
    if (key && index === path.length - 1) {
      places = places.flatMap(({ file, node }) =>
        node.propertyNames ? alternatives({ file, node: node.propertyNames }) : [],
      );
    } else places = places.flatMap((place) => children(place, step)).flatMap(alternatives);
    secret ||= places.some(({ node }) => node["x-secret"]);
  }
  return { runtime: places.some(({ node }) => node["x-runtime"]), secret };
}

const known = new Map<SchemaNode, SchemaPlace[]>();

/** A node and everything that describes the same value. */
export function alternatives(place: SchemaPlace): SchemaPlace[] {
  let found = known.get(place.node);
  if (found === undefined) {
    const { file, node } = follow(place);
    const others = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
    found = [{ file, node }, ...others.flatMap((other) => alternatives({ file, node: other }))];
    known.set(place.node, found);
  }
  return found;
}

const holding = new Map<SchemaNode, boolean>();

/** Whether the value or something in it can be a secret; plugins may always hold one. */
function holdsSecret(place: SchemaPlace): boolean {
  let holds = holding.get(place.node);
  if (holds === undefined) {
    // A schema that refers to itself holds no more than its other parts.
    holding.set(place.node, false);
    holds = alternatives(place).some(
      ({ file, node }) =>
        node["x-secret"] === true ||
        node["x-plugins"] !== undefined ||
        [...Object.values(node.properties ?? {}), node.items, node.additionalProperties].some(
          (child) => typeof child === "object" && holdsSecret({ file, node: child }),
        ),
    );
    holding.set(place.node, holds);
  }
  return holds;
}

/** Parts of a schema that describe the value at a step of what a node describes. */
export function children({ file, node }: SchemaPlace, step: string | number): SchemaPlace[] {
  const inside = (child: SchemaNode): SchemaPlace[] => [{ file, node: child }];
  if (typeof step === "number") return node.items ? inside(node.items) : [];
  if (node["x-plugins"] !== undefined) {
    const settings = pluginSchemaFile(step, node["x-plugins"]);
    return settings === undefined ? [] : [schemaFile(settings)];
  }
  const named = node.properties;
  if (named !== undefined && Object.hasOwn(named, step)) return inside(named[step] ?? {});
  return typeof node.additionalProperties === "object" ? inside(node.additionalProperties) : [];
}
