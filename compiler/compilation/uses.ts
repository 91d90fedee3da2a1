import type { Inventory } from "../3-resolve/inventory.js";
import { references } from "../3-resolve/reference.js";
import type { Resource } from "../model/resource.js";
import type { Affected } from "./affected.js";

/** Kinds whose diagnostics are on the resource if it is unused, otherwise on its users. */
export const DIAGNOSED_AT_USE = ["services", "plugin_configs"] as const;

export class Uses {
  readonly #inventory: Inventory;
  readonly #before = {
    services: new Map<string, boolean>(),
    plugin_configs: new Map<string, boolean>(),
  };

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
  }

  /** Called before a change, for the resources that the changed one names. */
  note(resource: Resource): void {
    const named = references(resource);
    for (const kind of DIAGNOSED_AT_USE)
      for (const { kind: other, id } of named)
        if (other === kind && !this.#before[kind].has(id))
          this.#before[kind].set(id, this.#inventory.isUsed(kind, id));
  }

  /** Leaves out resources of a build, which checks them. */
  addChanged(affected: Affected): void {
    for (const kind of DIAGNOSED_AT_USE)
      for (const [id, wasUsed] of this.#before[kind]) {
        const resource = this.#inventory.get(kind, id);
        if (resource && resource.from !== "build" && this.#inventory.isUsed(kind, id) !== wasUsed)
          affected[kind].add(id);
      }
  }
}
