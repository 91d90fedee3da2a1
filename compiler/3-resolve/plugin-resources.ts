import type { TableOwner } from "../certificates/table.js";
import type { Report } from "../model/diagnostic.js";
import type { ResolveContext } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { ResourceLists } from "../plugin/contributions.js";
import type { Inventory } from "./inventory.js";
import { checkReferences } from "./route.js";

function resourceLists(inventory: Inventory): ResourceLists {
  const byId = new Map<string, readonly Resource[]>();
  const written = <T>(kind: string) => [...inventory.all(kind).values()] as Resource<T>[];
  return {
    written,
    sorted<T>(kind: string) {
      const sorted = byId.get(kind) ?? written(kind).sort((a, b) => (a.id < b.id ? -1 : 1));
      byId.set(kind, sorted);
      return sorted as Resource<T>[];
    },
  };
}

/** @param now epoch seconds, for expiry; undefined: nothing has expired */
export function checkResources(
  { kinds = [], table }: TableOwner,
  inventory: Inventory,
  { incomplete }: Pick<ResolveContext, "incomplete">,
  now: number | undefined,
  report: Report,
): ResourceLists {
  const resources = resourceLists(inventory);
  if (!incomplete)
    for (const { name, references = [] } of kinds)
      if (references.length > 0)
        for (const resource of resources.sorted(name)) checkReferences(resource, inventory, report);
  table?.check?.(resources, { now, report });
  return resources;
}
