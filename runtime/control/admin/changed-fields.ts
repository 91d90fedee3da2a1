import { isObject } from "./patch.js";

/** Names of a line, and characters of one and of all; of a resource that has more, how many are left out is told. */
const MOST = 50;
const LONGEST = 200;
const MAX_CHARACTERS = 4_000;
/** They change with every write. */
const STAMPS = new Set(["create_time", "update_time"]);

/**
 * Paths of the fields that differ, "upstream.nodes": names alone, since values may be secrets. Of a list the whole is named, and of what
 * is new or gone its top.
 */
export function changedFields(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compare(before, after, "", found);
  let characters = 0;
  const fitting = found.findIndex((path, i) => i >= MOST || (characters += path.length) > MAX_CHARACTERS);
  return fitting < 0 ? found : [...found.slice(0, fitting), `and ${found.length - fitting} more`];
}

/** Names are the client's: a body of 1.5 MB may be one name, which would stand before each field in it. */
function below(path: string, name: string): string {
  if (path.length > LONGEST) return path;
  const whole = path === "" ? name : `${path}.${name}`;
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`;
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  const [from, to] = [isObject(before) ? before : undefined, isObject(after) ? after : undefined];
  // A resource that is new or gone is told by its fields.
  if ((from === undefined || to === undefined) && path !== "") {
    if (found[found.length - 1] !== path && JSON.stringify(before) !== JSON.stringify(after))
      found.push(path);
    return;
  }
  for (const name of new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])) {
    if (path === "" && STAMPS.has(name)) continue;
    compare(from?.[name], to?.[name], below(path, name), found);
  }
}
