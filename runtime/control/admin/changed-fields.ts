import { isObject } from "../../abi/json-object.js";

/** Limits: number of names, characters of one name, of all names. The last entry counts those left out. */
const MOST = 50;
const LONGEST = 200;
const MAX_CHARACTERS = 4_000;
const STAMPS = new Set(["create_time", "update_time"]);

/**
 * Returns the paths of the fields that differ, such as "upstream.nodes": only names, since values may be
 * secrets. A changed list is one path; a field that was added or removed is named by its topmost path.
 */
export function changedFields(before: unknown, after: unknown): string[] {
  const found: string[] = [];
  compare(before, after, "", found);
  let characters = 0;
  const fitting = found.findIndex((path, i) => i >= MOST || (characters += path.length) > MAX_CHARACTERS);
  return fitting < 0 ? found : [...found.slice(0, fitting), `and ${found.length - fitting} more`];
}

/** Cuts a path: names come from the client, and one of 1.5 MB would be repeated before each field in it. */
function below(path: string, name: string): string {
  if (path.length > LONGEST) return path;
  const whole = path === "" ? name : `${path}.${name}`;
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`;
}

function compare(before: unknown, after: unknown, path: string, found: string[]): void {
  const [from, to] = [isObject(before) ? before : undefined, isObject(after) ? after : undefined];
  // A resource that was added or removed is described by its fields.
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
