import type { Span } from "../model/diagnostic.js";
import type { Kind, Resource } from "../model/resource.js";
import { references } from "./reference.js";
import type { RouteValue, ServiceValue } from "./values.js";

/**
 * Known reason why a referenced id is missing: its resource has errors, was deleted by force, or was in a
 * file that no longer has it.
 */
export type Absence = "invalid" | "deleted" | { was: Span };

/** Undefined: there is no resource before or after the change. */
export type Watcher = (before: Resource | undefined, now: Resource | undefined) => void;

const key = (kind: Kind, id: string) => `${kind}/${id}`;

/** Resources by kind and id, with the references between them. Ids are unique: duplicates are reported earlier. */
export class Inventory {
  readonly #byKind = new Map<Kind, Map<string, Resource>>();
  readonly #usersOf = new Map<string, Set<Resource>>();
  readonly #absences = new Map<string, Absence>();
  readonly #meant = new Set<string>();
  readonly #watchers: Watcher[] = [];

  constructor(resources: Iterable<Resource> = []) {
    for (const resource of resources) this.put(resource);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  get(kind: Kind, id: string): Resource | undefined {
    return this.#byKind.get(kind)?.get(id);
  }

  /** @returns undefined also for a missing service */
  serviceOf({
    value: { service_id: id },
  }: Pick<Resource<RouteValue>, "value">): Resource<ServiceValue> | undefined {
    return id === undefined
      ? undefined
      : (this.get("services", String(id)) as Resource<ServiceValue> | undefined);
  }

  /** Keeps insertion order; a replaced resource keeps its position. */
  all(kind: Kind): ReadonlyMap<string, Resource> {
    return this.#of(kind);
  }

  /** Includes users of a missing resource. */
  users(kind: Kind, id: string): readonly Resource[] {
    return [...(this.#usersOf.get(key(kind, id)) ?? [])];
  }

  isUsed(kind: Kind, id: string): boolean {
    return this.#usersOf.has(key(kind, id)) || this.#meant.has(key(kind, id));
  }

  /** Records that a dangling reference probably meant this resource. That it is unused is the same mistake. */
  setMeant(kind: Kind, id: string): void {
    this.#meant.add(key(kind, id));
  }

  forgetMeant(): void {
    this.#meant.clear();
  }

  absence(kind: Kind, id: string): Absence | undefined {
    return this.#absences.get(key(kind, id));
  }

  /** Reports whether a route or service has errors: the resources that it uses are unknown. */
  get hasUnknownUsers(): boolean {
    return this.hasInvalid("routes") || this.hasInvalid("services");
  }

  hasInvalid(kind: Kind): boolean {
    for (const [name, absence] of this.#absences)
      if (absence === "invalid" && name.startsWith(`${kind}/`)) return true;
    return false;
  }

  /**
   * Undefined removes the absence. An existing resource is not absent, even with one.
   * @returns the previous absence
   */
  setAbsence(kind: Kind, id: string, absence: Absence | undefined): Absence | undefined {
    const previous = this.absence(kind, id);
    if (absence) this.#absences.set(key(kind, id), absence);
    else this.#absences.delete(key(kind, id));
    return previous;
  }

  put(resource: Resource): Resource | undefined {
    const map = this.#of(resource.kind);
    const previous = map.get(resource.id);
    if (previous) this.#unlink(previous);
    map.set(resource.id, resource);
    for (const { kind, id } of references(resource)) {
      const users = this.#usersOf.get(key(kind, id));
      if (users) users.add(resource);
      else this.#usersOf.set(key(kind, id), new Set([resource]));
    }
    for (const watcher of this.#watchers) watcher(previous, resource);
    return previous;
  }

  remove(kind: Kind, id: string): Resource | undefined {
    const previous = this.get(kind, id);
    if (previous) {
      this.#unlink(previous);
      this.#of(kind).delete(id);
      for (const watcher of this.#watchers) watcher(previous, undefined);
    }
    return previous;
  }

  #of(kind: Kind): Map<string, Resource> {
    let found = this.#byKind.get(kind);
    if (found === undefined) this.#byKind.set(kind, (found = new Map()));
    return found;
  }

  #unlink(resource: Resource): void {
    for (const { kind, id } of references(resource)) {
      const users = this.#usersOf.get(key(kind, id));
      users?.delete(resource);
      if (users?.size === 0) this.#usersOf.delete(key(kind, id));
    }
  }
}
