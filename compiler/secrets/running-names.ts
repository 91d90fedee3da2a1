import { credentialNamesOf } from "../2-validate/credential-names.js";
import type { Inventory } from "../3-resolve/inventory.js";
import { kinds, type Resource } from "../model/resource.js";
import { pluginNames } from "../plugin/registry.js";

const counted = new WeakMap<Inventory, CountedNames>();

/** Returns names that carry credentials. After the first call only changed resources are counted. */
export function runningNames(inventory: Inventory): readonly string[] {
  let names = counted.get(inventory);
  if (names === undefined) counted.set(inventory, (names = new CountedNames(inventory)));
  return names.all();
}

/** Number of resources that give each name. */
class CountedNames {
  readonly #inventory: Inventory;
  readonly #counts = new Map<string, number>();
  /** Number of plugins at the last count: one loaded later may declare settings of others as names of credentials. */
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
