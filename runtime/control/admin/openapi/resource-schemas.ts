import { component, type DescribedSchema } from "../../../process/operation.js";
import { type AdminKind, adminKinds, schemaName } from "../kinds.js";

/** Part of a schema that is looked at here. */
interface ObjectSchema {
  properties?: Record<string, { $ref?: string }>;
  required?: string[];
  dependentSchemas?: Record<string, unknown>;
  allOf?: Condition[];
}

/** Clause of a schema that may need fields. */
interface Condition {
  then?: { required?: string[] };
}

/** Names of a kind's components: as in files, as PUT and POST take it, and as answers show it. */
export function componentsOf({ path }: AdminKind): { file: string; body: string; value: string } {
  const file = schemaName(path).replaceAll("_", "-");
  return { file, body: `${file}.body`, value: `${file}.value` };
}

/** Only the gateway writes them (`forbiddenTime`). */
const TIMES = ["create_time", "update_time"];

/** Components that follow from those of files and from what a kind hides or makes itself. */
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

/** A condition that needs no hidden fields. */
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

/** A resource within another, the upstream of a route, is taken as by itself. */
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
