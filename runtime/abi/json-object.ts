/** Reports whether a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Scalars as texts, with their paths: "headers[0].name". */
export function flattened(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value !== "object" || value === null) return [[path, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item, i) => flattened(item, `${path}[${i}]`));
  return Object.entries(value).flatMap(([name, member]) =>
    flattened(member, path === "" ? name : `${path}.${name}`),
  );
}
