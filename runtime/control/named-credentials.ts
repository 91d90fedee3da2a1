import type { CredentialLocation } from "../../compiler/2-validate/named-credentials.js";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import type { ConfigSource } from "./launch-settings.js";
import type { ResourceCatalog, StaticResource } from "./resource-catalog.js";
import { withTexts } from "./secret-paths.js";
import type { StoredResource } from "./store/store.js";

type Item = Pick<StoredResource, "kind" | "id" | "value"> & Pick<StaticResource, "written">;

/** Maximum resources in one query to the compiler, for which others wait: 20,000 would take it a second. */
const AT_ONCE = 1_000;

/**
 * Credentials identified by their names and not by a schema. The whole configuration determines these names,
 * so the search runs when somebody reads, and again after each change.
 */
export class NamedCredentials {
  readonly #find: CompilerThread["credentialPlaces"];
  readonly #resources: Pick<ResourceCatalog, "all" | "version">;
  readonly #found = new WeakMap<object, readonly CredentialLocation[]>();
  #key: string | undefined;
  #looked: { version: number; done: Promise<void> } | undefined;

  constructor(find: CompilerThread["credentialPlaces"], resources: Pick<ResourceCatalog, "all" | "version">) {
    this.#find = find;
    this.#resources = resources;
  }

  /** @throws Error if the resource was not searched; then none of it may be shown */
  of({ value }: Pick<Item, "value">): readonly CredentialLocation[] {
    if (value === null) return [];
    const found = this.#found.get(value);
    if (found === undefined) throw new Error("a resource that was not searched for credentials");
    return found;
  }

  /** Resolves when all running resources are searched, including those added meanwhile. */
  async ready(): Promise<void> {
    let version: number;
    do {
      ({ version } = this.#resources);
      await this.#looking(version);
    } while (version !== this.#resources.version);
  }

  #looking(version: number): Promise<void> {
    if (this.#looked?.version === version) return this.#looked.done;
    const done = this.#lookAgain();
    this.#looked = { version, done };
    done.catch(() => (this.#looked = undefined));
    return done;
  }

  /** Searches the given resources, which may not be running ones. */
  async look(items: readonly (Item | null | undefined)[]): Promise<void> {
    await this.#search(items.flatMap((item) => item ?? []));
  }

  async #lookAgain(): Promise<void> {
    const all = this.#resources.all();
    const key = await this.#search(all.filter(({ value }) => value !== null && !this.#found.has(value)));
    if (key === this.#key) return;
    await this.#search(all);
    this.#key = key;
  }

  async #search(items: readonly Item[]): Promise<string | undefined> {
    let key: string | undefined;
    for (let at = 0; at === 0 || at < items.length; at += AT_ONCE) {
      const asked = items.slice(at, at + AT_ONCE);
      const found = await this.#find(asked.map(asShown));
      key = found.key;
      for (const [index, { value }] of asked.entries())
        if (value !== null) this.#found.set(value, this.#withFormer(value, found.places[index] ?? []));
    }
    return key;
  }

  /** Keeps earlier results: a write may send back a mask after its name disappeared everywhere else. */
  #withFormer(value: object, places: readonly CredentialLocation[]): readonly CredentialLocation[] {
    const known = new Set(places.map(({ path }) => JSON.stringify(path)));
    const former = (this.#found.get(value) ?? []).filter(({ path }) => !known.has(JSON.stringify(path)));
    return [...places, ...former];
  }
}

function asShown({ kind, value, written = [] }: Item): Pick<Item, "kind" | "value"> {
  return { kind, value: value && withTexts(value, written) };
}

/**
 * Finds credentials by name, with the compiler if it has the running configuration. With a read-only build it
 * has none, or is not installed; control then searches itself, which needs none of the compiler's packages.
 * Rejects if not even the compiler's code is present.
 */
export function namedCredentials(
  origin: ConfigSource,
  compiler: Pick<CompilerThread, "credentialPlaces"> | null,
  resources: ResourceCatalog,
): NamedCredentials {
  if (compiler && (origin.kind === "files" || origin.writable))
    return new NamedCredentials((asked) => compiler.credentialPlaces(asked), resources);
  return new NamedCredentials(async (asked) => {
    await import("../../plugins/index.js");
    const { credentialsAmong } = await import("../../compiler/thread/credentials-client.js");
    return credentialsAmong(resources.all(), asked);
  }, resources);
}
