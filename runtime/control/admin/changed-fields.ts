import { isObject } from "./patch.js";

/** Names of a line; of a resource that has more, how many are left out is told. */
const MOST = 50;
/** They change with every write. */
const STAMPS = new Set(["create_time", "update_time"]);

/**
 * Paths of the fields that differ, "upstream.nodes": names alone, since values may be secrets. Of a list the whole is named, and of what
 * is new or gone its top.
 */
export function changedFields(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compare(before, after, "", found);
  return found.length <= MOST ? found : [...found.slice(0, MOST), `and ${found.length - MOST} more`];
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  const [from, to] = [isObject(before) ? before : undefined, isObject(after) ? after : undefined];
  // A resource that is new or gone is told by its fields.
  if ((from === undefined || to === undefined) && path !== "") {
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push(path);
    return;
  }
  for (const name of new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])) {
    if (path === "" && STAMPS.has(name)) continue;
    compare(from?.[name], to?.[name], path === "" ? name : `${path}.${name}`, found);
  }
}
