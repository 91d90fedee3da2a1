export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the JSON Merge Patch (RFC 7396) from one value to another; null removes a member, lists are replaced. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const kept = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...kept.map(([name, value]) => [name, mergePatch(before[name], value)]),
  ]);
}
