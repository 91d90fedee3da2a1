import type { JsonObject, SecretPath } from "./store/store.js";

export function textAt(value: unknown, path: SecretPath): string | undefined {
  const found = scalarAt(value, path);
  return typeof found === "string" ? found : undefined;
}

export function scalarAt(value: unknown, path: SecretPath): string | number | undefined {
  let part = value;
  for (const step of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, step)) return undefined;
    part = (part as Record<string | number, unknown>)[step];
  }
  return typeof part === "string" || typeof part === "number" ? part : undefined;
}

export function pathOfText(value: unknown, isSought: (text: string) => boolean): SecretPath | undefined {
  if (typeof value === "string") return isSought(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const below = isSought(name) ? [] : pathOfText(member, isSought);
    if (below !== undefined) return [Array.isArray(value) ? Number(name) : name, ...below];
  }
  return undefined;
}

export function withTexts(
  value: JsonObject,
  texts: readonly (readonly [path: SecretPath, text: string | number])[],
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
