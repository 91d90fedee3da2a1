import { isObject } from "../../abi/json-object.js";
import type { WriteContext } from "../configuration.js";
import type { Services } from "../services.js";
import type { JsonObject } from "../store/store.js";
import { type ApiResponse, failure } from "./answer.js";
import type { AdminKind } from "./kinds.js";
/** Id of a write and the value that contains it, or the rejection of the reference (section 1.5). */
export type Identified = { id: string; value: JsonObject } | { answer: ApiResponse };

/** Reads the id of a PUT: path and body may both name the resource, and must agree. */
export function identified(
  kind: AdminKind,
  pathId: string | undefined,
  body: JsonObject,
  plugins: ReadonlySet<string>,
): Identified {
  switch (kind.identity) {
    case "id": {
      const bodyId = body["id"];
      const given = bodyId !== undefined && bodyId !== null;
      if (pathId === undefined && !given) return { answer: failure(400, `missing ${kind.label} id`) };
      if (pathId !== undefined && given && String(bodyId) !== pathId) {
        return { answer: failure(400, `wrong ${kind.label} id`) };
      }
      return { id: pathId ?? String(bodyId), value: { ...body, id: pathId ?? bodyId } };
    }
    case "username": {
      const { username } = body;
      if (pathId !== undefined && username !== undefined && username !== pathId) {
        return { answer: failure(400, "wrong username") };
      }
      return { id: String(username ?? pathId ?? ""), value: body };
    }
    case "plugin":
      if (pathId === undefined) return { answer: failure(400, "missing plugin name") };
      if (!plugins.has(pathId)) return { answer: failure(400, "invalid plugin name") };
      return { id: pathId, value: { ...body, id: pathId } };
  }
}

/** Rejects create_time and update_time, except in PATCH. The two spaces are the reference's. */
export function rejectTimestamps(body: JsonObject): string | undefined {
  const places: [prefix: string, part: unknown][] = [
    ["", body],
    ["upstream.", body["upstream"]],
    ["plugins.", body["plugins"]],
  ];
  for (const [prefix, part] of places) {
    if (typeof part !== "object" || part === null) continue;
    for (const name of ["create_time", "update_time"]) {
      if (Object.hasOwn(part, name)) return `the property is forbidden:  ${prefix}${name}`;
    }
  }
  return undefined;
}

export function wrongType(body: unknown): string {
  const got = body === null ? "nil" : Array.isArray(body) ? "table" : typeof body;
  return `invalid configuration: wrong type: expected object, got ${got}`;
}

/** Returns the reason to reject a body, or path into a resource, with a field that only the gateway sets. */
export function ownField({ readOnlyFields = [] }: AdminKind, fields: Iterable<string>): string | undefined {
  for (const field of fields)
    if (readOnlyFields.includes(field)) return `the property is forbidden: ${field}, the gateway sets it`;
  return undefined;
}

/** Fields added to a resource before it is stored, and the secret that its writer sees only this once. */
export type Added = { fields: JsonObject; secret?: string } | { answer: ApiResponse };

export function issued(
  { segment, plugin, issue }: AdminKind,
  id: string,
  { resources }: WriteContext,
  services: Pick<Services, "end">,
): Added {
  // The compiler rejects a write to a resource from a file and names its location.
  if (!issue || plugin === undefined || resources.fromFile(segment, id)) return { fields: {} };
  const before = resources.get(segment, id)?.value ?? undefined;
  const made = issue(id, before, services.end(plugin));
  return "refused" in made ? { answer: failure(400, made.refused) } : made;
}

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
