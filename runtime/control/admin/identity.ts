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
