/** Reports whether a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Copies a list or an object with a new value for each item or member; returns any other value unchanged. */
export function mapMembers(value: unknown, map: (member: unknown, key: string | number) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member, name)]));
}

/** Scalars as texts, with their paths: "headers[0].name". */
export function flattened(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item, i) => flattened(item, `${path}[${i}]`));
  return Object.entries(value).flatMap(([name, member]) =>
    flattened(member, path === "" ? name : `${path}.${name}`),
  );
}
