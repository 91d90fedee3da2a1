// Shared by control, which reverts changes, and the web interface, which merges them: it imports nothing.

interface JsonObject {
  [name: string]: unknown;
}

/** Names from the resource down to a field. */
export type FieldPath = readonly string[];

export interface ThreeWay {
  value: JsonObject;
  /** Fields that both have changed, each differently; mine is in the value. */
  both: FieldPath[];
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sorts members, whose order has no meaning in a resource. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : isObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, canonical(value[name])]),
        )
      : value;

export const same = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

/** "constructor" is in every object, but not in a resource. */
const own = (value: JsonObject, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** Merges member by member; a list is one value, and undefined means absent. */
export function threeWay(base: JsonObject, theirs: JsonObject, mine: JsonObject): ThreeWay {
  const both: FieldPath[] = [];
  const members = (before: JsonObject, other: JsonObject, changed: JsonObject, above: FieldPath) => {
    const names = [...new Set([...Object.keys(other), ...Object.keys(changed)])];
    const kept = names.map((name): [string, unknown] => [
      name,
      member(own(before, name), own(other, name), own(changed, name), [...above, name]),
    ]);
    return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  };
  const member = (before: unknown, other: unknown, changed: unknown, path: FieldPath): unknown => {
    if (same(before, changed)) return other;
    if (same(before, other) || same(other, changed)) return changed;
    if (isObject(other) && isObject(changed))
      return members(isObject(before) ? before : {}, other, changed, path);
    both.push(path);
    return changed;
  };
  return { value: members(base, theirs, mine, []), both };
}

/** Returns null if there is no value. */
export const fieldAt = (value: JsonObject | null, path: FieldPath): unknown =>
  path.reduce<unknown>((part, name) => (isObject(part) ? (own(part, name) ?? null) : null), value);
