/**
 * Type check of untrusted JSON: types, lengths and bounds, own fields only, and no unexpected field. That
 * excludes `__proto__` and `constructor`, which JSON.parse makes own fields.
 */
export type Shape<T> = (value: unknown) => value is T;

type Fields<T> = { readonly [K in keyof T]-?: Shape<T[K]> };

export const boolean: Shape<boolean> = (value) => typeof value === "boolean";

/** JSON has no NaN, but numbers like 1e999 are parsed as Infinity. */
export const number =
  (least: number, most: number): Shape<number> =>
  (value): value is number =>
    typeof value === "number" && value >= least && value <= most;

export const integer =
  (least: number, most: number): Shape<number> =>
  (value): value is number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

export const text =
  (pattern: RegExp): Shape<string> =>
  (value): value is string =>
    typeof value === "string" && pattern.test(value);

/** Any UTF-16 units, also unpaired ones. */
export const anyText =
  (longest: number): Shape<string> =>
  (value): value is string =>
    typeof value === "string" && value.length <= longest;

export const literal =
  <const T extends string | number>(expected: T): Shape<T> =>
  (value): value is T =>
    value === expected;

export const oneOf =
  <const T extends readonly string[]>(...names: T): Shape<T[number]> =>
  (value): value is T[number] =>
    typeof value === "string" && names.includes(value);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value): value is T | null =>
    value === null || shape(value);

/** Accepts an absent field, too. */
export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || shape(value);

export const listOf =
  <T>(shape: Shape<T>, most: number, least = 0): Shape<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) &&
    value.length <= most &&
    value.length >= least &&
    value.every((item) => shape(item));

export function object<T extends object>(fields: Fields<T>): Shape<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const known: ReadonlySet<string> = new Set(names);
  return (value): value is T => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    if (!Object.keys(value).every((name) => known.has(name))) return false;
    const own = value as Record<string, unknown>;
    return names.every((name) => fields[name](Object.hasOwn(own, name) ? own[name] : undefined));
  };
}
