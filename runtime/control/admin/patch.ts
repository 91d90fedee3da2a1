import type { JsonObject } from "../store/store.js";

/** Names that reach the prototype of an object instead of a member; refused as any other name that cannot be. */
const NEVER = new Set(["__proto__", "constructor", "prototype"]);

/** Deeper than any resource: what a path makes is walked by recursion later. */
const LONGEST_PATH = 64;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep merge: objects key by key, arrays and scalars replaced, null removes. Neither argument is changed. */
export function merged(base: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (NEVER.has(name)) continue;
    const before = result[name];
    if (value === null) delete result[name];
    else if (isObject(value)) result[name] = merged(isObject(before) ? before : {}, value);
    else result[name] = value;
  }
  return result;
}

/**
 * Replaces the attribute at `path`, whose missing parents are made; null removes it.
 * @returns the new value, or the path at which a parent is not an object
 */
export function replacedAt(
  base: JsonObject,
  path: readonly string[],
  value: unknown,
): { value: JsonObject } | { invalid: string } {
  if (path.length > LONGEST_PATH) return { invalid: `/${path.slice(0, LONGEST_PATH + 1).join("/")}` };
  const result = structuredClone(base);
  let parent: JsonObject = result;
  for (const [index, name] of path.slice(0, -1).entries()) {
    const next = NEVER.has(name) ? null : (parent[name] ??= {});
    if (!isObject(next)) return { invalid: `/${path.slice(0, index + 1).join("/")}` };
    parent = next;
  }
  const last = path[path.length - 1] ?? "";
  if (NEVER.has(last)) return { invalid: `/${path.join("/")}` };
  if (value === null) delete parent[last];
  else parent[last] = value;
  return { value: result };
}
