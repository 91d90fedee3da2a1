/** Of a resource, as JSON. */
type Value = Readonly<Record<string, unknown>>;

export interface Merged {
  value: Value;
  /** Members that both have changed, each in its own way ("plugins.syslog.port"); mine is in the value. */
  both: string[];
}

const isObject = (value: unknown): value is Value =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Order of members is none of a resource's meaning. */
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
const same = (a: unknown, b: unknown) => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

/** "constructor" is a member of every object, but not one that somebody wrote. */
const own = (value: Value, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

/** What two have made of the same resource, member by member; lists count as a whole, and what is undefined is not there. */
export function merged(base: Value, theirs: Value, mine: Value): Merged {
  const both: string[] = [];
  const members = (before: Value, other: Value, changed: Value, above: string): Value => {
    const names = [...new Set([...Object.keys(other), ...Object.keys(changed)])];
    const kept = names.map((name) => [
      name,
      member(own(before, name), own(other, name), own(changed, name), above + name),
    ]);
    return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  };
  const member = (before: unknown, other: unknown, mine: unknown, path: string): unknown => {
    if (same(before, mine)) return other;
    if (same(before, other) || same(other, mine)) return mine;
    if (isObject(other) && isObject(mine))
      return members(isObject(before) ? before : {}, other, mine, `${path}.`);
    both.push(path);
    return mine;
  };
  return { value: members(base, theirs, mine, ""), both: both.sort() };
}
