import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { resolved, type Schema } from "./schema";

export interface FormSchema {
  schema: RJSFSchema;
  uiSchema: UiSchema;
}

/** Fields of a resource that an inline resource with the same schema lacks. */
const OF_THE_STORE: ReadonlySet<string> = new Set(["create_time", "update_time"]);

/** Maximum depth of forms; deeper fields show JSON. */
const DEPTH = 6;

/**
 * Converts a schema for a form. References are resolved, and fields keep their names in files, which
 * documentation and diagnostics use. Rules about combinations of fields are removed, because the form would
 * render them as menus; the compiler reports missing fields. Fields without a single type show JSON. A
 * deprecated field is shown only if it is set.
 * @param value edited value, which selects between alternatives of a field (nodes as a map or a list)
 * @param left properties that are edited elsewhere
 */
export function formSchema(schema: Schema, value: unknown, left: readonly string[] = []): FormSchema {
  const { schema: shown, uiSchema } = field({ ...schema, title: "", description: "" }, value, schema, 0);
  const properties = Object.entries(shown.properties ?? {}).filter(([name]) => !left.includes(name));
  return { schema: { ...shown, properties: Object.fromEntries(properties) }, uiSchema };
}

function field(written: Schema, value: unknown, root: Schema, depth: number): FormSchema {
  const schema = one(resolved(written, root) ?? {}, value, root);
  const { description = "", default: standard } = schema;
  const common = { title: schema.title === "" ? "" : undefined, description } as RJSFSchema;
  const hint = { ...hintOf(standard), ...widgetOf(schema) };
  if (schema.properties && depth < DEPTH) return object(schema, value, root, depth, common);
  const items = schema.items && one(resolved(schema.items, root) ?? {}, undefined, root);
  if (schema.type === "array" && items && depth < DEPTH)
    return list(schema, items, value, root, depth, common);
  if (isMap(schema, root, value)) return map(schema, root, common);
  if (schema.enum?.join() === "0,1")
    return { schema: { ...common, enum: schema.enum as never[] }, uiSchema: { ...hint, "ui:widget": "bit" } };
  if (schema.enum) return { schema: { ...common, enum: schema.enum as never[] }, uiSchema: hint };
  if (typeof schema.type === "string" && schema.type !== "object" && schema.type !== "array")
    return { schema: { ...common, ...limits(schema), type: schema.type as "string" }, uiSchema: hint };
  return json(schema, common);
}

/** A value without a widget of its own, with the schema's first example as its hint. */
function json({ examples = [] }: Schema, common: RJSFSchema): FormSchema {
  const hint = examples[0] === undefined ? {} : { "ui:placeholder": JSON.stringify(examples[0]) };
  return { schema: common, uiSchema: { "ui:field": "json", ...hint } };
}

function widgetOf(schema: Schema): UiSchema {
  if (schema["x-refers"]) return { "ui:widget": "reference", "ui:options": { refers: schema["x-refers"] } };
  if (schema["x-regex"] === true) return { "ui:widget": "regex" };
  if (NUMBERS.has(String(schema.type))) return { "ui:widget": "number" };
  const options = {
    ...(schema["x-secret"] === true && { secret: true }),
    ...(isLong(schema) && { long: true }),
  };
  return { "ui:options": options };
}

/** Maximum length from which a text counts as a document: certificates and keys have 65,536 characters. */
const DOCUMENT = 16_384;
/** Keywords that only short texts have, never bodies. */
const SHORT = ["minLength", "pattern", "format", "default", "examples"];

/** Reports whether a text has many lines: its limit is that of a document, or it has none. */
function isLong(schema: Schema): boolean {
  const most = schema["maxLength"] as number | undefined;
  return most === undefined ? SHORT.every((word) => schema[word] === undefined) : most >= DOCUMENT;
}

function hintOf(standard: unknown): UiSchema {
  const isList = Array.isArray(standard) && standard.every((each) => typeof each === "string");
  if (isList) return { "ui:placeholder": standard.join(", ") };
  return standard === undefined || typeof standard === "object" ? {} : { "ui:placeholder": String(standard) };
}

/** Schema of a field with several types: the alternative of the value's type, which is text for any scalar. */
function one(schema: Schema, value: unknown, root: Schema): Schema {
  const alternatives = (schema.anyOf ?? schema.oneOf ?? [])
    .map((each) => resolved(each, root) ?? {})
    .filter(({ type }) => type !== undefined);
  if (schema.type !== undefined || alternatives.length === 0) return schema;
  const { anyOf: _, oneOf: __, ...words } = schema;
  const type = Array.isArray(value) ? "array" : typeof value === "object" ? "object" : "string";
  const ofType = alternatives.filter((each) => each.type === type);
  const names = type === "object" ? Object.keys(value ?? {}) : [];
  const fitting =
    ofType.find(({ properties }) => !properties || names.every((name) => properties[name])) ?? ofType[0];
  const chosen = fitting ?? (value === undefined ? alternatives[0] : undefined);
  return { ...chosen, ...words, title: undefined };
}

function object(schema: Schema, value: unknown, root: Schema, depth: number, common: RJSFSchema): FormSchema {
  const set = (value ?? {}) as Record<string, unknown>;
  const named = Object.entries(schema.properties ?? {}).filter(
    ([name, each]) =>
      (depth === 0 || !OF_THE_STORE.has(name)) && (set[name] !== undefined || each["deprecated"] !== true),
  );
  const fields = named.map(([name, each]) => {
    const made = field(each, set[name], root, depth + 1);
    return [name, { ...made, schema: { ...made.schema, title: name } }] as const;
  });
  return {
    schema: {
      ...common,
      type: "object",
      properties: Object.fromEntries(fields.map(([name, made]) => [name, made.schema])),
      required: requiredOf(schema, set),
    },
    uiSchema: Object.fromEntries(fields.map(([name, made]) => [name, made.uiSchema])),
  };
}

/** A "one of these" rule adds the only field that is neither deprecated nor the list form of another one. */
function requiredOf(schema: Schema, set: Readonly<Record<string, unknown>>): string[] {
  const rules = [schema, ...(schema.allOf ?? [])].flatMap(({ oneOf, anyOf }) => [oneOf ?? [], anyOf ?? []]);
  const chosen = rules.flatMap((alternatives) => {
    const names = alternatives.flatMap(({ required = [] }) => (required.length === 1 ? required : []));
    if (names.length < 2 || names.length < alternatives.length) return [];
    if (names.some((name) => set[name] !== undefined)) return [];
    const isPlural = (name: string) => name.endsWith("s") && names.includes(name.slice(0, -1));
    const first = names.filter(
      (name) => schema.properties?.[name]?.["deprecated"] !== true && !isPlural(name),
    );
    return first.length === 1 ? first : [];
  });
  return [...(schema.required ?? []), ...chosen];
}

function list(
  schema: Schema,
  items: Schema,
  value: unknown,
  root: Schema,
  depth: number,
  common: RJSFSchema,
): FormSchema {
  const array = (uiSchema: UiSchema, of: RJSFSchema, limit: RJSFSchema = {}): FormSchema => ({
    schema: { ...common, type: "array", items: of, ...limit },
    uiSchema,
  });
  const hint = hintOf(schema.default);
  if (items.enum) return array(hint, { type: "string", enum: items.enum as never[] }, { uniqueItems: true });
  // Tags are single lines and visible, so secrets and documents get a list of inputs.
  if (items.type === "string" && (items["x-secret"] === true || Number(items["maxLength"]) >= DOCUMENT))
    return array({ items: widgetOf(items) }, { type: "string", title: "" });
  if (items.type === "string") return array({ "ui:widget": "texts", ...hint }, { type: "string" });
  if (!items.properties) return json(schema, common);
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  const made = field(items, first, root, depth + 1);
  const minItems = schema["minItems"] as number;
  return array({ items: made.uiSchema }, { ...made.schema, title: "" }, { minItems });
}

/**
 * Reports whether a value is shown as rows of names with texts or numbers: labels, headers, nodes with their
 * weights. A map that also allows other types is shown so only while its values are scalars.
 */
function isMap(schema: Schema, root: Schema, value: unknown): boolean {
  if (schema.type !== "object" || typeof schema.additionalProperties !== "object") return false;
  const types = [resolved(schema.additionalProperties, root)?.type ?? []].flat();
  if (types.every((type) => NUMBERS.has(type))) return types.length > 0;
  // `value` is a shape, where 0 is a text or a number.
  return types.includes("string") && Object.values(value ?? {}).every((each) => each === 0);
}

const NUMBERS: ReadonlySet<string> = new Set(["integer", "number"]);

function map(schema: Schema, root: Schema, common: RJSFSchema): FormSchema {
  const values = resolved(schema.additionalProperties as Schema, root) ?? {};
  const types = [values.type ?? []].flat();
  const [only, ...others] = types;
  return {
    schema: { ...common, additionalProperties: others.length > 0 ? true : { type: only as "string" } },
    uiSchema: {
      "ui:field": "map",
      "ui:texts": types.includes("string"),
      "ui:secret": values["x-secret"] === true,
    },
  };
}

function limits(schema: Schema): RJSFSchema {
  const kept = ["minimum", "maximum", "minLength", "maxLength", "pattern", "const"];
  return Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name)));
}
