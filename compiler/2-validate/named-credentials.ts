import { isObject } from "../../runtime/abi/json-object.js";
import { valueAt } from "../1-parse/values.js";
import { type Kind, schemaOfKind } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { addressCredentials, literalStretches, type TextRange } from "../variables/credential-text.js";
import type { CredentialNames } from "./credential-names.js";
import { type Described, describedBy } from "./described.js";

/** Its name or position makes a text a credential, although no schema marks it as secret. */
export interface NamedCredential {
  path: Path;
  /** The other part of the text: "name" is that of "Authorization: Bearer …". */
  beside: "nothing" | "name" | "address";
  /** Texts without that part and without variables, for which reports are searched. */
  literals: string[];
  stretches: readonly TextRange[];
  /** Field, variable or query argument that holds it. */
  name: string;
}

/**
 * Returns credentials in a configuration file in places where any text is allowed:
 * - headers that header actions set and loggers add, also as "Name: value";
 * - operands that conditions compare such headers, cookies and arguments with;
 * - users and arguments of addresses;
 * - settings that are a text in place of an object.
 * @param names of the whole configuration, which may be in other files
 */
export const namedCredentialsIn = (document: unknown, names: CredentialNames): NamedCredential[] =>
  foundIn(document, names, "configuration.json");

export const credentialsOfResource = (
  kind: Kind,
  value: unknown,
  names: CredentialNames,
): NamedCredential[] => foundIn(value, names, schemaOfKind(kind));

/** Valid while the names are the same: each document and resource is searched once. */
const searched = new WeakMap<object, { key: string; found: NamedCredential[] }>();

function foundIn(value: unknown, names: CredentialNames, schema: string): NamedCredential[] {
  if (!isObject(value)) return [];
  const { key } = names;
  const before = searched.get(value);
  if (before?.key === key) return before.found;
  const found = new Search(value, names).from(describedBy(schema));
  searched.set(value, { key, found });
  return found;
}

/** Characters of a header with its name, and of an address with a credential. Most texts have none of them. */
const TELLING = /[:@=]/;
const LINE = /^\s*((?:[\w.$!#%&'*+^`|~-]|\$\{\{[^{}]*\}\})+)\s*:\s*/s;
/** A name with a variable, whose value is unknown here, may be that of a credential. */
const UNKNOWN = /\$\{\{[^{}]*\}\}/;
const OPERATOR = /^(?:!|[=!~<>]{1,3}\*?|~\*|in|has|ipmatch)$/i;

/** Linked list: the last step, and the rest. */
interface Place {
  step: string | number;
  inside: Place | undefined;
}

interface FoundText {
  text: string;
  place: Place | undefined;
}

interface Pending {
  described: Described;
  value: unknown;
  place: Place | undefined;
  /** Name of the credential if every text in the value is one. */
  whole: string | undefined;
}

class Search {
  readonly #value: unknown;
  readonly #names: CredentialNames;
  readonly #found: NamedCredential[] = [];
  /** Recursion would overflow the call stack at 1,000 nested conditions. */
  readonly #pending: Pending[] = [];

  constructor(value: unknown, names: CredentialNames) {
    this.#value = value;
    this.#names = names;
  }

  from(described: Described): NamedCredential[] {
    this.#pending.push({ described, value: this.#value, place: undefined, whole: undefined });
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#visit(next);
    return this.#found;
  }

  #isCredential(name: string): boolean {
    return this.#names.has(name) || UNKNOWN.test(name);
  }

  #visit({ described, value, place, whole }: Pending): void {
    if (whole !== undefined) this.#all(value, place, whole);
    else if (typeof value === "string") this.#text(value, place);
    else if (Array.isArray(value)) this.#list(described, value, place);
    else if (isObject(value)) this.#object(described, value, place);
  }

  #object(described: Described, value: Record<string, unknown>, inside: Place | undefined): void {
    const { holdsPlugins } = described;
    for (const [step, member] of Object.entries(value).reverse()) {
      const isSettings = holdsPlugins && !isObject(member);
      const isWhole = isSettings || (!holdsPlugins && !described.hasField(step) && this.#isCredential(step));
      if (isWhole || canTell(member))
        this.#later(described, member, { step, inside }, isWhole ? step : undefined);
    }
  }

  #later(around: Described, value: unknown, place: Place, whole: string | undefined): void {
    this.#pending.push({ described: around.at(place.step), value, place, whole });
  }

  #list(described: Described, value: readonly unknown[], inside: Place | undefined): void {
    const [subject, operator] = value;
    const isText = described.at(0).isText;
    const isOperator = (item: unknown) =>
      typeof item === "string" && (OPERATOR.test(item) || (!isText && UNKNOWN.test(item)));
    const isComparison = typeof subject === "string" && isOperator(operator) && this.#isCredential(subject);
    for (let step = value.length - 1; step >= 0; step--) {
      const item = value[step];
      const whole = isComparison && step > 0 && !isOperator(item) ? subject : undefined;
      if (whole !== undefined || canTell(item)) this.#later(described, item, { step, inside }, whole);
    }
  }

  #text(text: string, place: Place | undefined): void {
    const [before = "", name] = LINE.exec(text) ?? [];
    if (name !== undefined && this.#isCredential(name))
      this.#add(literalStretches(text, [before.length, text.length]), { text, place, beside: "name", name });
    else
      this.#add(addressCredentials(text, this.#names), { text, place, beside: "address", name: "address" });
  }

  #all(value: unknown, inside: Place | undefined, name: string): void {
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      this.#add(literalStretches(text, [0, text.length]), { text, place: inside, beside: "nothing", name });
    } else if (typeof value === "object" && value !== null)
      for (const [step, member] of Object.entries(value))
        this.#all(member, { step: Array.isArray(value) ? Number(step) : step, inside }, name);
  }

  #add(
    written: readonly TextRange[],
    { text, place, beside, name }: Pick<NamedCredential, "beside" | "name"> & FoundText,
  ): void {
    const stretches = written.filter(([start, end]) => text.slice(start, end).trim() !== "");
    if (stretches.length === 0) return;
    const literals = stretches.map(([start, end]) => text.slice(start, end));
    const told = beside === "address" ? literals.flatMap(passwordsIn) : literals;
    this.#found.push({ path: pathOf(place), beside, literals: told, stretches, name });
  }
}

const canTell = (value: unknown): boolean =>
  typeof value === "string" ? TELLING.test(value) : typeof value === "object" && value !== null;

function pathOf(place: Place | undefined): Path {
  const steps: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.inside) steps.push(at.step);
  return steps.reverse();
}

/** A user with a password, and the password alone. A user alone counts only if it looks like a token, not a host. */
function passwordsIn(literal: string): string[] {
  const colon = literal.indexOf(":");
  if (colon >= 0) return [literal, literal.slice(colon + 1)];
  return literal.includes(".") ? [] : [literal];
}

/** Credential recognised by its name instead of a schema: ranges of the text (or number) at a path. */
export interface CredentialLocation {
  path: Path;
  /** Field, variable or argument that holds it. */
  name: string;
  stretches: readonly TextRange[];
}

/** Matches a word in front of a credential that reveals nothing: the rest of "Bearer ${{TOKEN}}". */
const SCHEME = /^\s*(?:bearer|basic|digest|token|apikey|negotiate)\s*$/i;

/** The schema may also mark some of them as secret. */
export function credentialLocations(
  kind: Kind,
  value: unknown,
  names: CredentialNames,
): CredentialLocation[] {
  const found = credentialsOfResource(kind, value, names);
  if (found.length === 0) return [];
  return found.flatMap(({ path, name, stretches }) => {
    const text = String(valueAt(value, path));
    const telling = stretches.filter(([start, end]) => !SCHEME.test(text.slice(start, end)));
    return telling.length === 0 ? [] : [{ path, name, stretches: telling }];
  });
}
