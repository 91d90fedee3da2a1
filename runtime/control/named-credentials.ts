import type { CredentialLocation } from "../../compiler/validate/credential-locations.js";
import type { ControlCompiler } from "./compiler.js";
import type { ResourceCatalog, StaticResource } from "./resource-catalog.js";
import { withTexts } from "./secret-paths.js";
import type { StoredResource } from "./store/store.js";

/** A resource that has what answers show. */
type Item = Pick<StoredResource, "kind" | "id" | "value"> & Pick<StaticResource, "written">;

/** Resources of one question to the compiler, which others wait for: 20,000 at once would hold it for a second. */
const AT_ONCE = 1_000;

/**
 * Places of credentials that no schema marks and their names tell. The whole configuration decides which names these are, so
 * they are looked for when somebody reads, and again once it has changed.
 */
export class NamedCredentials {
  readonly #find: ControlCompiler["credentialPlaces"];
  readonly #resources: Pick<ResourceCatalog, "all" | "version">;
  readonly #found = new WeakMap<object, readonly CredentialLocation[]>();
  /** Names that they were looked for by. */
  #key: string | undefined;
  /** Under way or done, of what there was then. */
  #looked: { version: number; done: Promise<void> } | undefined;

  constructor(
    find: ControlCompiler["credentialPlaces"],
    resources: Pick<ResourceCatalog, "all" | "version">,
  ) {
    this.#find = find;
    this.#resources = resources;
  }

  /**
   * Credentials of a resource that was searched before.
   * @throws Error when it was not: nothing of it may be shown
   */
  of({ value }: Pick<Item, "value">): readonly CredentialLocation[] {
    if (value === null) return [];
    const found = this.#found.get(value);
    if (found === undefined) throw new Error("a resource that was not searched for credentials");
    return found;
  }

  /** Resolves when all resources that run have been looked through, those too that have come meanwhile. */
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

  /** Looks through these, which may be none of the resources that run. */
  async look(items: readonly (Item | null | undefined)[]): Promise<void> {
    await this.#look(items.flatMap((item) => item ?? []));
  }

  async #lookAgain(): Promise<void> {
    const all = this.#resources.all();
    const key = await this.#look(all.filter(({ value }) => value !== null && !this.#found.has(value)));
    if (key === this.#key) return;
    await this.#look(all);
    this.#key = key;
  }

  async #look(items: readonly Item[]): Promise<string | undefined> {
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

  /** A masked value stays masked: a write may send its mask back after its name is gone everywhere else. */
  #withFormer(value: object, places: readonly CredentialLocation[]): readonly CredentialLocation[] {
    const known = new Set(places.map(({ path }) => JSON.stringify(path)));
    const former = (this.#found.get(value) ?? []).filter(({ path }) => !known.has(JSON.stringify(path)));
    return [...places, ...former];
  }
}

/** Variables by their names, which are shown. */
function asShown({ kind, value, written = [] }: Item): Pick<Item, "kind" | "value"> {
  return { kind, value: value && withTexts(value, written) };
}
