import type { Span } from "../diagnostics/diagnostic.js";
import { references } from "./reference.js";
import type { Kind, Resource } from "./resource.js";

/**
 * Why an id that is named is missing, where that is known: its resource has errors of its own, or was deleted by force,
 * or stood in a file that no longer has it.
 */
export type Absence = "invalid" | "deleted" | { was: Span };

/** Told of what a resource was before, and of what it is now: undefined where there is none. */
export type Watcher = (before: Resource | undefined, now: Resource | undefined) => void;

const key = (kind: Kind, id: string) => `${kind}/${id}`;

/** All resources by kind and id, and who refers to whom. One entry an id: duplicates are reported before they get here. */
export class Inventory {
  readonly #byKind = new Map<Kind, Map<string, Resource>>();
  readonly #usersOf = new Map<string, Set<Resource>>();
  readonly #absences = new Map<string, Absence>();
  readonly #meant = new Set<string>();
  readonly #watchers: Watcher[] = [];

  constructor(resources: Iterable<Resource> = []) {
    for (const resource of resources) this.put(resource);
  }

  /** Has every change told from now on. */
  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  get(kind: Kind, id: string): Resource | undefined {
    return this.#byKind.get(kind)?.get(id);
  }

  /** In the order of insertion; a replaced resource keeps its place. */
  all(kind: Kind): ReadonlyMap<string, Resource> {
    return this.#of(kind);
  }

  /** Resources that refer to this one, whether it exists or not. */
  users(kind: Kind, id: string): readonly Resource[] {
    return [...(this.#usersOf.get(key(kind, id)) ?? [])];
  }

  isUsed(kind: Kind, id: string): boolean {
    return this.#usersOf.has(key(kind, id)) || this.#meant.has(key(kind, id));
  }

  /** A reference that names nothing was probably meant for this one: that it is not used is the same mistake. */
  setMeant(kind: Kind, id: string): void {
    this.#meant.add(key(kind, id));
  }

  forgetMeant(): void {
    this.#meant.clear();
  }

  absence(kind: Kind, id: string): Absence | undefined {
    return this.#absences.get(key(kind, id));
  }

  /** Whether a route or service has errors of its own, so that nobody can say what it would have used. */
  get hasUnknownUsers(): boolean {
    return this.hasInvalid("routes") || this.hasInvalid("services");
  }

  /** Whether a resource of the kind has errors of its own. */
  hasInvalid(kind: Kind): boolean {
    for (const [name, absence] of this.#absences)
      if (absence === "invalid" && name.startsWith(`${kind}/`)) return true;
    return false;
  }

  /** Undefined forgets it; returns what was known before. A resource that is there is not absent, whatever this says. */
  setAbsence(kind: Kind, id: string, absence: Absence | undefined): Absence | undefined {
    const previous = this.absence(kind, id);
    if (absence) this.#absences.set(key(kind, id), absence);
    else this.#absences.delete(key(kind, id));
    return previous;
  }

  /** Returns what it replaced. */
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

  /** Returns what it removed. */
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
