import type { JsonObject, SecretPath } from "./store/store.js";

/** The text at a path; undefined when there is none. */
export function textAt(value: unknown, path: SecretPath): string | undefined {
  let part = value;
  for (const step of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, step)) return undefined;
    part = (part as Record<string | number, unknown>)[step];
  }
  return typeof part === "string" ? part : undefined;
}

/** A copy of the value with other texts at some paths, which lead to texts in it. */
export function withTexts(
  value: JsonObject,
  texts: readonly (readonly [path: SecretPath, text: string])[],
): JsonObject {
  if (texts.length === 0) return value;
  const copy = structuredClone(value);
  for (const [path, text] of texts) {
    const last = path[path.length - 1];
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], copy);
    if (last !== undefined) (parent as Record<string | number, unknown>)[last] = text;
  }
  return copy;
}
