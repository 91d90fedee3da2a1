import type { Inventory } from "../3-resolve/inventory.js";
import { references } from "../3-resolve/reference.js";
import type { Resource } from "../model/resource.js";
import type { Affected } from "./affected.js";

/** Kinds whose diagnostics are reported on the resource if it is unused, otherwise on its users. */
export const DIAGNOSED_AT_USE = ["services", "plugin_configs"] as const;

/** Use of services and plugin_configs before a write, which may add the first user or remove the last. */
export class Uses {
  readonly #inventory: Inventory;
  readonly #before = {
    services: new Map<string, boolean>(),
    plugin_configs: new Map<string, boolean>(),
  };

  constructor(inventory: Inventory) {
    this.#inventory = inventory;
  }

  /** Records, before a change, the use of the resources that the changed one names. */
  note(resource: Resource): void {
    const named = references(resource);
    for (const kind of DIAGNOSED_AT_USE)
      for (const { kind: other, id } of named)
        if (other === kind && !this.#before[kind].has(id))
          this.#before[kind].set(id, this.#inventory.isUsed(kind, id));
  }

  /** Adds the resources whose use has changed. Those of a build are left out, since the build checks them. */
  addChanged(affected: Affected): void {
    for (const kind of DIAGNOSED_AT_USE)
      for (const [id, wasUsed] of this.#before[kind]) {
        const resource = this.#inventory.get(kind, id);
        if (resource && resource.from !== "build" && this.#inventory.isUsed(kind, id) !== wasUsed)
          affected[kind].add(id);
      }
  }
}
