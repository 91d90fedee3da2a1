import type { Inventory } from "../resolve/inventory.js";
import { references } from "../resolve/reference.js";
import type { Resource } from "../resolve/resource.js";
import type { Affected } from "./affected.js";

/** Kinds of which findings about an unused resource are told there, else where it is used. */
export const DIAGNOSED_AT_USE = ["services", "plugin_configs"] as const;

/** Services and plugin_configs that a write may give their first user, or take the last from, and which were used before it. */
export class Uses {
  readonly #inventory: Inventory;
  readonly #before = {
    services: new Map<string, boolean>(),
    plugin_configs: new Map<string, boolean>(),
  };

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
  }

  /** Notes the resources that one which comes or goes names, before it does. */
  note(resource: Resource): void {
    const named = references(resource);
    for (const kind of DIAGNOSED_AT_USE)
      for (const { kind: other, id } of named)
        if (other === kind && !this.#before[kind].has(id))
          this.#before[kind].set(id, this.#inventory.isUsed(kind, id));
  }

  /** Adds those whose use has changed, but for those of a build, which are checked where it is made. */
  addChanged(affected: Affected): void {
    for (const kind of DIAGNOSED_AT_USE)
      for (const [id, wasUsed] of this.#before[kind]) {
        const resource = this.#inventory.get(kind, id);
        if (resource && resource.from !== "build" && this.#inventory.isUsed(kind, id) !== wasUsed)
          affected[kind].add(id);
      }
  }
}
