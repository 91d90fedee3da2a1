import type { Kind } from "../../compiler/model/resource.js";
import { resourceContributions } from "../../plugins/control.js";
import { CERTIFICATES } from "../abi/certificates.js";
import type { Artifact } from "../abi/generation.js";
import { pathOf } from "./admin/kinds.js";
import { type JsonObject, nameOf, type SecretPath, type StoredResource } from "./store/store.js";

export interface StaticResource {
  kind: Kind;
  id: string;
  value: JsonObject;
  /** Location, "gateway.yaml:10:5". */
  place: string;
  secrets?: readonly SecretPath[];
  /** Original texts that contain environment variables, by their paths. */
  written?: readonly (readonly [SecretPath, string])[];
}

export interface StaticResourceDelta {
  /** Names of all resources ("routes/shop"), in order. */
  names: readonly string[];
  put: readonly StaticResource[];
}

/** Returns the names ("routes/shop") of resources in a build, whose values are unknown. */
export function builtNames(built: Artifact): ReadonlySet<string> {
  const { routes, upstreams, globalRules, pluginMetadata, tables = {} } = built;
  return new Set([
    ...routes.map(({ id }) => `routes/${id}`),
    ...upstreams.map(({ key }) => `upstreams/${key}`),
    ...globalRules.map(({ id }) => `global_rules/${id}`),
    ...pluginMetadata.map(({ plugin }) => `plugin_metadata/${plugin}`),
    ...(tables[CERTIFICATES]?.["certificates"] ?? []).map(({ id }) => `ssls/${id}`),
    ...resourceContributions().flatMap(({ plugin, kind, rows }) =>
      (tables[plugin]?.[rows] ?? []).map(({ id }) => `${kind}/${id}`),
    ),
  ]);
}

export const ofBuild = ({ resources }: { resources: readonly StaticResource[] }): StaticResourceDelta => ({
  names: resources.map(nameOf),
  put: resources,
});

/** Returns the reason why a build cannot run with these resources of the store, or undefined. */
export function clashOf(built: ReadonlySet<string>, stored: readonly StoredResource[]): string | undefined {
  const twice = stored.find(({ kind, id }) => built.has(`${kind}/${id}`));
  if (twice === undefined) return undefined;
  const name = `${pathOf(twice.kind)}/${twice.id}`;
  return `both the build and the store contain ${name}: let the build take it over (gwc adopt ${name}), delete the stored one, or build without it`;
}

/** All resources in memory, for reads with the store up or down. Keeps the order of creation. */
export class ResourceCatalog {
  readonly #stored = new Map<Kind, Map<string, StoredResource>>();
  #fixed = new Map<string, StaticResource>();
  /** Computes the replacement of `#fixed` at the next read. */
  #later: (() => readonly StaticResource[]) | undefined;

  version = 0;

  /** Names ("routes/shop") of resources in a build, of which only the ids are known. */
  #built: ReadonlySet<string> = new Set();

  constructor(stored: readonly StoredResource[], built?: ReadonlySet<string>) {
    if (built !== undefined) this.#built = built;
    for (const resource of [...stored].sort((a, b) => a.createdIndex - b.createdIndex)) this.put(resource);
  }

  /** Returns a resource of the store, except one deleted by force. */
  get(kind: Kind, id: string): StoredResource | undefined {
    const resource = this.#stored.get(kind)?.get(id);
    return resource?.value ? resource : undefined;
  }

  fromFile(kind: Kind, id: string): StaticResource | undefined {
    return this.#files.get(`${kind}/${id}`);
  }

  isBuilt(kind: Kind, id: string): boolean {
    return this.#built.has(`${kind}/${id}`);
  }

  setBuilt(names: ReadonlySet<string>): void {
    this.#built = names;
  }

  put(resource: StoredResource): void {
    this.version += 1;
    let ofKind = this.#stored.get(resource.kind);
    if (!ofKind) this.#stored.set(resource.kind, (ofKind = new Map()));
    const before = ofKind.get(resource.id);
    if (before?.createdIndex !== resource.createdIndex) ofKind.delete(resource.id);
    ofKind.set(resource.id, resource);
  }

  remove(kind: Kind, id: string): void {
    this.version += 1;
    this.#stored.get(kind)?.delete(id);
  }

  /** Replaces all static resources. @param resources called at the next read */
  setStatic(resources: () => readonly StaticResource[]): void {
    this.version += 1;
    this.#later = resources;
  }

  /** Resources of files, by name ("routes/shop"). */
  get ofFiles(): ReadonlyMap<string, StaticResource> {
    return this.#files;
  }

  get #files(): ReadonlyMap<string, StaticResource> {
    if (this.#later !== undefined)
      this.#fixed = new Map(this.#later().map((resource) => [nameOf(resource), resource]));
    this.#later = undefined;
    return this.#fixed;
  }

  changeStatic({ names, put }: StaticResourceDelta): void {
    this.version += 1;
    const changed = new Map(put.map((resource) => [nameOf(resource), resource]));
    const before = this.#files;
    this.#fixed = new Map();
    for (const name of names) {
      const resource = changed.get(name) ?? before.get(name);
      if (resource) this.#fixed.set(name, resource);
    }
  }

  /** Lists files first, then the store in order of creation. */
  list(kind: Kind): (StoredResource | StaticResource)[] {
    const fixed = [...this.#files.values()].filter((resource) => resource.kind === kind);
    const stored = [...(this.#stored.get(kind)?.values() ?? [])].filter(({ value }) => value !== null);
    return [...fixed, ...stored];
  }

  all(): (StoredResource | StaticResource)[] {
    return [...this.#files.values(), ...this.allStored()];
  }

  /** Returns all resources of the store, including those deleted by force. */
  allStored(): StoredResource[] {
    return [...this.#stored.values()].flatMap((ofKind) => [...ofKind.values()]);
  }
}
