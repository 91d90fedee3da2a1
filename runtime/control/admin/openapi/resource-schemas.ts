import { component, type DescribedSchema } from "../../../process/operation.js";
import { type AdminKind, adminKinds, schemaName } from "../kinds.js";

interface ObjectSchema {
  properties?: Record<string, { $ref?: string }>;
  required?: string[];
  dependentSchemas?: Record<string, unknown>;
  allOf?: Condition[];
}

interface Condition {
  then?: { required?: string[] };
}

export function componentsOf({ path }: AdminKind): { file: string; body: string; value: string } {
  const file = schemaName(path).replaceAll("_", "-");
  return { file, body: `${file}.body`, value: `${file}.value` };
}

/** Fields that only the gateway sets (`rejectTimestamps`). */
const TIMES = ["create_time", "update_time"];

/** Derives components of bodies and responses from those of files; uses hidden and read-only fields. */
export function resourceSchemas(
  components: Readonly<Record<string, object>>,
): Readonly<Record<string, DescribedSchema>> {
  const all = adminKinds().flatMap((kind): [string, DescribedSchema][] => {
    const { file, body, value } = componentsOf(kind);
    const schema: ObjectSchema = components[file] ?? {};
    const taken =
      kind.identity === "plugin" ? schema : without(schema, [...TIMES, ...(kind.readOnlyFields ?? [])]);
    return [
      [body, { ...taken, properties: asBodies(taken.properties ?? {}) }],
      [value, { ...without(schema, kind.hidden ?? []) }],
    ];
  });
  return Object.fromEntries(all);
}

function without(schema: ObjectSchema, fields: readonly string[]): ObjectSchema {
  const { required = [], dependentSchemas = {}, allOf = [], ...rest } = schema;
  const visible = (names: readonly string[]) => names.filter((name) => !fields.includes(name));
  const kept = (object: object) => Object.entries(object).filter(([name]) => !fields.includes(name));
  const dependent = Object.fromEntries(kept(dependentSchemas));
  return {
    ...rest,
    properties: Object.fromEntries(kept(schema.properties ?? {})),
    ...(required.length > 0 && { required: visible(required) }),
    ...(allOf.length > 0 && { allOf: allOf.map((one) => withNeeds(one, visible)) }),
    ...(Object.keys(dependent).length > 0 && { dependentSchemas: dependent }),
  };
}

function withNeeds(one: Condition, visible: (names: readonly string[]) => string[]): Condition {
  const { required } = one.then ?? {};
  if (required === undefined) return one;
  return Object.fromEntries(
    Object.entries(one).map(([word, node]) => [
      word,
      word === "then" ? { ...node, required: visible(required) } : node,
    ]),
  );
}

/** Gives a nested resource, such as the upstream of a route, the body schema of its kind. */
function asBodies(properties: NonNullable<ObjectSchema["properties"]>): object {
  const bodies = new Map(
    adminKinds().map((kind) => {
      const { file, body } = componentsOf(kind);
      return [String(component(file)["$ref"]), body];
    }),
  );
  return Object.fromEntries(
    Object.entries(properties).map(([name, node]) => {
      const body = bodies.get(node.$ref ?? "");
      return [name, body === undefined ? node : { ...node, ...component(body) }];
    }),
  );
}
