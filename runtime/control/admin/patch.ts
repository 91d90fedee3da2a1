import { isObject } from "../../abi/json-object.js";
import type { JsonObject } from "../store/store.js";

/** Name that reaches the prototype of an object instead of a member; rejected like any other unknown name. */
const PROTOTYPE = "__proto__";

/** Maximum depth of a path, more than any resource has: recursive code processes the result. */
const MAX_PATH = 64;

/**
 * Merges deeply: objects by key, arrays and scalars replaced, null removes. Every name is plain data, even
 * `__proto__`, so validation sees the same as for a PUT. Changes neither argument.
 */
export function merged(base: JsonObject, patch: JsonObject): JsonObject {
  const members = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    const before = members.get(name);
    if (value === null) members.delete(name);
    else members.set(name, isObject(value) ? merged(isObject(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(members);
}

/** Creates missing parents; null removes. @returns the new value, or the path of a parent that is not an object */
export function replacedAt(
  base: JsonObject,
  path: readonly string[],
  value: unknown,
): { value: JsonObject } | { invalid: string } {
  if (path.length > MAX_PATH) return { invalid: `/${path.slice(0, MAX_PATH + 1).join("/")}` };
  const result = structuredClone(base);
  let parent: JsonObject = result;
  for (const [index, name] of path.slice(0, -1).entries()) {
    if (name !== PROTOTYPE && !Object.hasOwn(parent, name)) parent[name] = {};
    const next = name === PROTOTYPE ? undefined : parent[name];
    if (!isObject(next)) return { invalid: `/${path.slice(0, index + 1).join("/")}` };
    parent = next;
  }
  const last = path[path.length - 1] ?? "";
  if (last === PROTOTYPE) return { invalid: `/${path.join("/")}` };
  if (value === null) delete parent[last];
  else parent[last] = value;
  return { value: result };
}
