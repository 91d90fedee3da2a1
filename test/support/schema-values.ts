import fc from "fast-check";
import { follow, type SchemaNode, type SchemaPlace } from "../../schema/schemas.js";

/** Maximum depth of lists and objects; ends the recursion of an expression. */
const DEEPEST = 7;

/**
 * Texts that formats, patterns and lengths of the schemas accept or reject; the last contain surrogate pairs
 * and lone surrogates.
 */
const TEXTS = [
  ..."a|GET|/a/*|a.example|a.example:80|10.0.0.0/8|::1|127.0.0.1:9|https://a.example|$host|$.a.b|key|YQ==|a b".split(
    "|",
  ),
  ..."|0|1h|A: b|POST|sk_a|^a|a\nb|${{A}}|_x|-".split("|"),
  "x".repeat(300),
  "\u{1f600}".repeat(2),
  "\ud83d",
  "\ude00a",
];

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    "",
    "a b",
    0,
    -1,
    1.5,
    70_000,
    [],
    {},
    ["x", "x"],
    [{ a: 1 }, { a: 1 }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values close to a schema: mostly valid, sometimes arbitrary. */
export function schemaValues(place: SchemaPlace, depth = 0): fc.Arbitrary<unknown> {
  // Created when a value is drawn: all branches of the larger schemas at once would be a million.
  const near = fc.constant(undefined).chain(() => nearTo(follow(place), depth));
  return fc.oneof({ weight: 30, arbitrary: near }, { weight: 1, arbitrary: junk });
}

function nearTo({ file, node }: SchemaPlace, depth: number): fc.Arbitrary<unknown> {
  const inside = (child: SchemaNode) => schemaValues({ file, node: child }, depth + 1);
  if (depth > DEEPEST) return junk;
  const told = [node.default, ...((node as { examples?: unknown[] }).examples ?? [])];
  const samples = told.filter((one) => one !== undefined);
  const choices: fc.Arbitrary<unknown>[] = samples.length > 0 ? [fc.constantFrom(...samples)] : [];
  if (node.enum !== undefined) choices.push(fc.constantFrom(...node.enum));
  if ("const" in node) choices.push(fc.constant(node.const));
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])])
    choices.push(inside(branch.$ref === undefined ? merged(node, branch) : branch));
  if (node.enum === undefined)
    for (const type of [node.type ?? []].flat()) choices.push(ofType(type, node, inside));
  return choices.length === 0 ? junk : fc.oneof(...choices);
}

function ofType(
  type: string,
  node: SchemaNode,
  inside: (child: SchemaNode) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  if (type === "object") return likeObject(node, inside);
  if (type === "array")
    return fc.array(node.items === undefined ? junk : inside(node.items), {
      minLength: node.minItems ?? 0,
      maxLength: Math.max(3, node.minItems ?? 0),
    });
  if (type === "string") return fc.constantFrom(...TEXTS);
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  const { minimum = 0, maximum = minimum + 100 } = node;
  const bounds = fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1);
  const between = fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
  return fc.oneof(
    bounds,
    between,
    ...(type === "number" ? [fc.double({ min: minimum, max: maximum, noNaN: true })] : []),
  );
}

/** An object with all required fields, a few optional ones, and seldom an unknown one. */
function likeObject(
  { properties = {}, required = [], additionalProperties: others, propertyNames }: SchemaNode,
  inside: (child: SchemaNode) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const other = typeof others === "object" ? inside(others) : junk;
  const name = propertyNames === undefined ? fc.constantFrom("a", "x y", "") : fc.constantFrom(...TEXTS);
  const rest = fc.dictionary(name, other, { maxKeys: typeof others === "object" ? 2 : 1 });
  const weight = typeof others === "object" ? 3 : 10;
  return fc
    .tuple(
      fc.subarray(optional, { maxLength: Math.min(4, optional.length) }),
      fc.oneof({ weight, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rest }),
    )
    .chain(([chosen, more]) => {
      const names = [...required, ...chosen].map((each) => [each, inside(properties[each] ?? {})]);
      const fields: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(names);
      return fc.record(fields).map((own): unknown => ({ ...own, ...more }));
    });
}

/** Merges a branch of an alternative with the keywords next to the alternative. */
function merged({ anyOf: _, oneOf: __, ...node }: SchemaNode, branch: SchemaNode): SchemaNode {
  const properties = { ...node.properties, ...branch.properties };
  const required = [...(node.required ?? []), ...(branch.required ?? [])];
  return { ...node, ...branch, ...(Object.keys(properties).length > 0 && { properties, required }) };
}
