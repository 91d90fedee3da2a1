import { environmentReferences } from "../../runtime/abi/environment.js";
import { pluginSchemaFile, type SchemaPlace, schemaFile } from "../../schema/schemas.js";
import {
  addressCredentials,
  CREDENTIAL,
  literalStretches,
  type Stretch,
} from "../diagnostics/credential-text.js";
import type { Path } from "../parse/source.js";
import { pluginNames } from "../plugin/registry.js";
import type { Kind } from "../resolve/resource.js";
import { alternatives, children } from "./annotations.js";
import { isObject } from "./json-values.js";
import { schemaOfKind } from "./kinds.js";

/** A text that no schema marks as secret and whose place says that it is a credential. */
export interface WrittenCredential {
  path: Path;
  /** Part of the text that is none: "name" is that of "Authorization: Bearer …". */
  beside: "nothing" | "name" | "address";
  /** The text without what stands beside it and without variables: what is sought in reports. */
  literals: string[];
}

/**
 * Credentials that a configuration file writes out where any text may stand: fields that header actions set and loggers add, also as
 * "Name: value"; what conditions compare such fields, cookies and arguments with; users and arguments of addresses; and settings
 * that are a text in the place of an object.
 */
export const credentialsWritten = (document: unknown): WrittenCredential[] =>
  new Search(document).from(schemaFile("configuration.json"));

/** By value: looked for once in each resource. */
const ofResources = new WeakMap<object, WrittenCredential[]>();

/** The same of one resource. */
export function credentialsOfResource(kind: Kind, value: unknown): WrittenCredential[] {
  if (!isObject(value)) return [];
  let found = ofResources.get(value);
  if (found === undefined) {
    found = new Search(value).from(schemaFile(schemaOfKind(kind).file));
    ofResources.set(value, found);
  }
  return found;
}

const LINE = /^\s*([\w.$-]+)\s*:\s*/s;
const OPERATOR = /^(?:!|[=!~<>]{1,3}\*?|~\*|in|has|ipmatch)$/i;
/** "http_x_shop_key" as "x-shop-key". */
const fieldOf = (variable: string) =>
  variable.replace(/^\$?\{?(?:sent_http|upstream_http|http|post_arg|arg|cookie)_/, "").replaceAll("_", "-");

class Search {
  readonly #value: unknown;
  /** Names that the settings of plugins take credentials from, in lower case. */
  readonly #names = new Set<string>();
  readonly #found: WrittenCredential[] = [];
  /** Last one first. Calls within each other would overflow the stack at 1,000 conditions in one another. */
  readonly #pending: (() => void)[] = [];

  constructor(value: unknown) {
    this.#value = value;
    collectNames(value, this.#names);
  }

  from(root: SchemaPlace): WrittenCredential[] {
    this.#visit([root], this.#value, []);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) next();
    return this.#found;
  }

  #isCredential(name: string): boolean {
    return CREDENTIAL.test(name) || this.#names.has(name.toLowerCase());
  }

  #visit(places: readonly SchemaPlace[], value: unknown, path: Path): void {
    if (typeof value === "string") this.#text(value, path);
    else if (Array.isArray(value)) this.#list(places.flatMap(alternatives), value, path);
    else if (isObject(value)) this.#object(places.flatMap(alternatives), value, path);
  }

  #object(all: readonly SchemaPlace[], value: Record<string, unknown>, path: Path): void {
    const holdsPlugins = all.some(({ node }) => node["x-plugins"] !== undefined);
    for (const [name, member] of Object.entries(value).reverse()) {
      const at = [...path, name];
      const isNamed = all.some(({ node }) => Object.hasOwn(node.properties ?? {}, name));
      const isSettings = holdsPlugins && !isObject(member);
      const isWhole = isSettings || (!holdsPlugins && !isNamed && this.#isCredential(name));
      this.#later(all, member, at, isWhole);
    }
  }

  /** @param isWhole every text in the value is a credential */
  #later(all: readonly SchemaPlace[], value: unknown, path: Path, isWhole: boolean): void {
    const name = path.at(-1) ?? "";
    this.#pending.push(() => {
      if (isWhole) this.#all(value, path);
      else
        this.#visit(
          all.flatMap((place) => children(place, name)),
          value,
          path,
        );
    });
  }

  #list(all: readonly SchemaPlace[], value: readonly unknown[], path: Path): void {
    const [subject, operator] = value;
    const isComparison =
      typeof subject === "string" &&
      typeof operator === "string" &&
      OPERATOR.test(operator) &&
      (this.#isCredential(subject) || this.#names.has(fieldOf(subject).toLowerCase()));
    for (let index = value.length - 1; index >= 0; index--) {
      const item = value[index];
      const isOperator = typeof item === "string" && OPERATOR.test(item);
      this.#later(all, item, [...path, index], isComparison && index > 0 && !isOperator);
    }
  }

  #text(text: string, path: Path): void {
    const [before = "", name] = LINE.exec(text) ?? [];
    if (name !== undefined && this.#isCredential(name))
      this.#add(text, literalStretches(text, [before.length, text.length]), path, "name");
    else this.#add(text, addressCredentials(text), path, "address");
  }

  /** Every text in it. */
  #all(value: unknown, path: Path): void {
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      this.#add(text, literalStretches(text, [0, text.length]), path, "nothing");
    } else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value))
        this.#all(member, [...path, Array.isArray(value) ? Number(name) : name]);
  }

  #add(text: string, stretches: readonly Stretch[], path: Path, beside: WrittenCredential["beside"]): void {
    const literals = stretches
      .map(([start, end]) => text.slice(start, end))
      .filter((one) => one.trim() !== "");
    if (literals.length === 0) return;
    const told = beside === "address" ? literals.flatMap(passwordsIn) : literals;
    this.#found.push({ path, beside, literals: told });
  }
}

/** A user with a password, and that alone; a user alone is sought elsewhere only where it looks like a token, and no host. */
function passwordsIn(literal: string): string[] {
  const colon = literal.indexOf(":");
  if (colon >= 0) return [literal, literal.slice(colon + 1)];
  return literal.includes(".") ? [] : [literal];
}

/** Plugins are only ever added. */
let known: { plugins: number; fields: ReadonlyMap<string, string[]> } | undefined;

/** Fields of plugins' settings that name what carries a credential. */
function credentialFields(): ReadonlyMap<string, string[]> {
  const names = pluginNames();
  if (known?.plugins === names.length) return known.fields;
  const fields = new Map<string, string[]>();
  known = { plugins: names.length, fields };
  for (const plugin of names) {
    const file = pluginSchemaFile(plugin, "route");
    const properties = file === undefined ? {} : (schemaFile(file).node.properties ?? {});
    const named = Object.keys(properties).filter((name) => properties[name]?.["x-credential"] !== undefined);
    if (named.length > 0) fields.set(plugin, named);
  }
  return fields;
}

function collectNames(value: unknown, names: Set<string>, fields = credentialFields()): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member))
      for (const field of fields.get(name) ?? []) {
        const given = member[field];
        if (typeof given === "string" && environmentReferences(given).length === 0)
          names.add(given.toLowerCase());
      }
    collectNames(member, names, fields);
  }
}
