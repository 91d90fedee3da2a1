import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { resolved, type Schema } from "./schema";

/** A schema as a form shows it, with what it shows each field by. */
export interface FormSchema {
  schema: RJSFSchema;
  uiSchema: UiSchema;
}

/** Fields that a resource has and one inside of another has not, though both have the same schema. */
const OF_THE_STORE: ReadonlySet<string> = new Set(["create_time", "update_time"]);

/** Deeper than this nobody edits by a form: the field shows its JSON. */
const DEPTH = 6;

/**
 * Makes of a schema what a form can show: without references; fields called as in a file, since that is what documentation and findings
 * call them; without rules on which fields go together, of which the form would make menus (the compiler says in words what is missing);
 * and what has no one type as JSON. A deprecated field is there where it is set.
 * @param value what is edited; it chooses between forms of one field (nodes as a map or a list)
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

/** A value without a field of its own, with the schema's first example as its hint. */
function json({ examples = [] }: Schema, common: RJSFSchema): FormSchema {
  const hint = examples[0] === undefined ? {} : { "ui:placeholder": JSON.stringify(examples[0]) };
  return { schema: common, uiSchema: { "ui:field": "json", ...hint } };
}

/** Kind of a text: the name of a resource, a pattern, a secret, or many lines; and a number. */
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

/** Characters above which a text is a document: certificates and keys have 65,536. */
const DOCUMENT = 16_384;
/** Keywords of words and lines, never of a body. */
const SHORT = ["minLength", "pattern", "format", "default", "examples"];

/** Reports whether a text has many lines: its limit is that of a document, or it has none. */
function isLong(schema: Schema): boolean {
  const most = schema["maxLength"] as number | undefined;
  return most === undefined ? SHORT.every((word) => schema[word] === undefined) : most >= DOCUMENT;
}

/** A default, grey in its field. */
function hintOf(standard: unknown): UiSchema {
  const isList = Array.isArray(standard) && standard.every((each) => typeof each === "string");
  if (isList) return { "ui:placeholder": standard.join(", ") };
  return standard === undefined || typeof standard === "object" ? {} : { "ui:placeholder": String(standard) };
}

/** Schema of a field without one type: the alternative that the value has, of plain ones the text. */
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

/** Names of required fields: also the one that is left of "one of these" when the deprecated ones, and lists of another one, are left out. */
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
  if (items.enum)
    return {
      schema: {
        ...common,
        type: "array",
        items: { type: "string", enum: items.enum as never[] },
        uniqueItems: true,
      },
      uiSchema: hintOf(schema.default),
    };
  // A tag is one line, and for all to see.
  if (items.type === "string" && (items["x-secret"] === true || Number(items["maxLength"]) >= DOCUMENT))
    return {
      schema: { ...common, type: "array", items: { type: "string", title: "" } },
      uiSchema: { items: widgetOf(items) },
    };
  if (items.type === "string")
    return {
      schema: { ...common, type: "array", items: { type: "string" } },
      uiSchema: { "ui:widget": "texts", ...hintOf(schema.default) },
    };
  if (!items.properties) return json(schema, common);
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  const made = field(items, first, root, depth + 1);
  return {
    schema: {
      ...common,
      type: "array",
      items: { ...made.schema, title: "" },
      minItems: schema["minItems"] as number,
    },
    uiSchema: { items: made.uiSchema },
  };
}

/** Texts or numbers by a name: labels, headers, nodes with their weights. Texts, numbers and more are rows while no value is more. */
function isMap(schema: Schema, root: Schema, value: unknown): boolean {
  if (schema.type !== "object" || typeof schema.additionalProperties !== "object") return false;
  const types = [resolved(schema.additionalProperties, root)?.type ?? []].flat();
  if (types.every((type) => NUMBERS.has(type))) return types.length > 0;
  // The value is known by its shape: 0 stands for a text or a number.
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
