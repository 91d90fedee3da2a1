import { pluginNames } from "./plugin/registry.js";
import type { Inventory } from "./resolve/inventory.js";
import { kinds, type Resource } from "./resolve/resource.js";
import { credentialNamesOf } from "./validate/credential-names.js";

const counted = new WeakMap<Inventory, CountedNames>();

/** Names that the resources of an inventory give to what carries credentials; after the first time, what has changed is looked at alone. */
export function runningNames(inventory: Inventory): readonly string[] {
  let names = counted.get(inventory);
  if (names === undefined) counted.set(inventory, (names = new CountedNames(inventory)));
  return names.all();
}

/** How many resources give each name. */
class CountedNames {
  readonly #inventory: Inventory;
  readonly #counts = new Map<string, number>();
  /** A plugin that came later may name what others have as plain settings. */
  #plugins = -1;

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
    inventory.watch((before, now) => {
      this.#count(before, -1);
      this.#count(now, 1);
    });
  }

  all(): readonly string[] {
    const plugins = pluginNames().length;
    if (plugins !== this.#plugins) this.#countAll();
    this.#plugins = plugins;
    return [...this.#counts.keys()];
  }

  #countAll(): void {
    this.#counts.clear();
    for (const kind of kinds())
      for (const resource of this.#inventory.all(kind).values()) this.#count(resource, 1);
  }

  #count(resource: Resource | undefined, by: 1 | -1): void {
    if (resource === undefined) return;
    for (const name of credentialNamesOf(resource.value)) {
      const count = (this.#counts.get(name) ?? 0) + by;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
