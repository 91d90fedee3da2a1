import { environmentReferences } from "../../runtime/abi/environment.js";
import { isObject } from "../../runtime/abi/json-object.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { credentialSettings, declaredNames } from "../plugin/credential-settings.js";
import { pluginNames } from "../plugin/registry.js";
import { CREDENTIAL, type Names } from "../variables/credential-text.js";

/** Group of a variable, such as `http_` of "$http_x_shop_key"; its member is the name. */
const GROUP = /^\$?\{?(?:(?:sent_|upstream_)?http_|(?:post_)?arg[_.]|cookie_)/i;
/** Maximum depth of nested escapes. */
const PASSES = 3;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

/**
 * "X_Shop_Key", "http_x_shop_key" and "x%2dshop%2dkey" have one form. Upstreams treat "_" and "-" in a header
 * name as the same.
 */
function folded(name: string): string {
  let form = utf8(name.replace(GROUP, ""));
  for (let pass = 0; pass < PASSES && form.includes("%"); pass += 1)
    form = form.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return form.toLowerCase().replaceAll("_", "-").replaceAll("+", " ");
}

/**
 * Headers, arguments and variables that indicate credentials, or from which a plugin of the configuration
 * takes them. Any resource may define such names. Reads the configuration at the first use.
 */
export class CredentialNames implements Names {
  readonly #given: () => Iterable<string>;
  #names: ReadonlySet<string> | undefined;
  #key: string | undefined;
  readonly #asked = new Map<string, boolean>();

  constructor(given: () => Iterable<string>) {
    this.#given = given;
  }

  /** Cache key, equal for equal names. */
  get key(): string {
    this.#key ??= JSON.stringify([...this.#cached()].sort());
    return this.#key;
  }

  has(name: string): boolean {
    let has = this.#asked.get(name);
    if (has === undefined) {
      has = CREDENTIAL.test(name) || CREDENTIAL.test(folded(name)) || this.#cached().has(folded(name));
      if (this.#asked.size >= MAX_ASKED) this.#asked.clear();
      this.#asked.set(name, has);
    }
    return has;
  }

  #cached(): ReadonlySet<string> {
    this.#names ??= new Set(Array.from(this.#given(), folded));
    return this.#names;
  }
}
/** Most names of a configuration are the same few. */
const MAX_ASKED = 10_000;

export const namesIn = (values: () => Iterable<unknown>): CredentialNames =>
  new CredentialNames(() => distinctNames(values()));

export function* distinctNames(values: Iterable<unknown>): Generator<string> {
  for (const value of values) yield* credentialNamesOf(value);
}

/** Returns distinct names, which are cached. */
export const credentialNamesOf = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null ? namesOf(value) : NONE;

const NONE: readonly string[] = [];
interface Naming {
  settings: ReturnType<typeof credentialSettings>;
  declared: readonly string[];
}
type Settings = ReadonlyMap<string, Naming>;
/** Each document and resource is searched once. Plugins are only ever added. */
let known: { plugins: number; settings: Settings; names: WeakMap<object, readonly string[]> } | undefined;

function namesOf(value: object): readonly string[] {
  const plugins = pluginNames();
  if (known?.plugins !== plugins.length)
    known = { plugins: plugins.length, settings: settingsOf(plugins), names: new WeakMap() };
  let names = known.names.get(value);
  if (names === undefined) {
    names = collected(value, known.settings);
    known.names.set(value, names);
  }
  return names;
}

const settingsOf = (plugins: readonly string[]): Settings =>
  new Map(
    plugins
      .map((plugin): [string, Naming] => [
        plugin,
        { settings: credentialSettings(plugin), declared: declaredNames(plugin) },
      ])
      .filter(([, { settings, declared }]) => settings.length + declared.length > 0),
  );

function collected(value: object, settings: Settings): readonly string[] {
  const names = new Set<string>();
  // A loop: recursion would overflow the stack at 1,000 nested conditions.
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const name of Object.keys(next)) {
      const member = (next as Record<string, unknown>)[name];
      if (typeof member !== "object" || member === null) continue;
      pending.push(member);
      const naming = settings.get(name);
      if (naming !== undefined && isObject(member))
        for (const given of namedBy(member, naming)) names.add(given);
    }
  return names.size === 0 ? NONE : [...names];
}

/** A variable with unknown value gives no name. */
const namedBy = (given: Record<string, unknown>, { settings, declared }: Naming) => [
  ...declared,
  ...settings
    .map(([field, , byDefault]) => given[field] ?? byDefault)
    .filter((name) => typeof name === "string")
    .filter((name) => environmentReferences(name).length === 0),
];
