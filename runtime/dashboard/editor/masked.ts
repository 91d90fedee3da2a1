import { resolved, type Schema } from "../forms/schema";

/** Replaces a secret; its length reveals nothing. */
const MASK = "•••";

export function masked(value: unknown, schema: Schema | undefined, root = schema): unknown {
  const known = resolved(schema, root ?? {});
  if (known === undefined || value === undefined) return value;
  if (known["x-secret"] === true) return MASK;
  const alternatives = [known, ...(known.anyOf ?? []), ...(known.oneOf ?? [])].map((each) =>
    resolved(each, root ?? {}),
  );
  if (Array.isArray(value)) {
    const items = alternatives.find((each) => each?.items !== undefined)?.items;
    return value.map((item) => masked(item, items, root));
  }
  if (typeof value !== "object" || value === null) return value;
  const below = (name: string) => {
    const own = alternatives.find((each) => each?.properties?.[name] !== undefined)?.properties?.[name];
    const others = alternatives.find((each) => typeof each?.additionalProperties === "object");
    return own ?? (others?.additionalProperties as Schema | undefined);
  };
  // A field that is unknown to this schema may be a secret of another one, such as the key of a consumer.
  const isUnknown = (name: string) =>
    alternatives.some((each) => each?.properties !== undefined) && below(name) === undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isUnknown(name) ? MASK : masked(each, below(name), root),
    ]),
  );
}
