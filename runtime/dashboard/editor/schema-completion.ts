import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import type { SyntaxNode } from "@lezer/common";
import type { Schema } from "../forms/schema";
import type { Format } from "./draft";
import { fieldsAt, nodeAt, pathTo, type SchemaSource, schemaAt } from "./schema-at";
import { yamlPlace } from "./yaml-place";

export function completions(source: SchemaSource, format: Format): CompletionSource {
  return (context) => (format === "json" ? inJson(source, context) : inYaml(source, context));
}

const VALUES = new Set(["String", "Number", "True", "False", "Null", "Object", "Array"]);

const offeredBy = (schema: Schema | undefined): readonly unknown[] | undefined =>
  schema?.enum ?? (schema?.type === "boolean" ? [true, false] : schema?.examples);

function inJson(source: SchemaSource, context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const node = nodeAt(state, pos, -1);
  const isName = node.name === "PropertyName";
  const property = node.parent?.name === "Property" ? node.parent : node.name === "Property" ? node : null;
  if (!isName && property !== null && VALUES.has(node.name)) return values(source, context, node, property);
  if (!isName && !(node.name === "Object" || node.name === "{" || node.name === ",") && !context.explicit)
    return null;
  const object = isName ? (node.parent?.parent ?? null) : node.name === "Object" ? node : node.parent;
  const properties = fieldsAt(source, pathTo(state, object));
  if (!properties) return null;
  return {
    from: isName ? node.from : pos,
    to: isName ? node.to : pos,
    options: keyOptions(properties, (name) => ({
      label: `"${name}"`,
      apply: isName ? `"${name}"` : `"${name}": `,
    })),
  };
}

const keyOptions = (
  properties: Readonly<Record<string, Schema>>,
  written: (name: string) => Pick<Completion, "label" | "apply">,
): Completion[] =>
  Object.entries(properties).map(([name, schema]) => ({
    ...written(name),
    type: "property",
    info: schema.description ?? "",
  }));

function values(
  source: SchemaSource,
  { state }: CompletionContext,
  node: SyntaxNode,
  property: SyntaxNode,
): CompletionResult | null {
  const offered = offeredBy(schemaAt(source, pathTo(state, property)));
  if (!offered) return null;
  return {
    from: node.from,
    to: node.to,
    options: offered.map((value) => ({ label: JSON.stringify(value), type: "enum" })),
  };
}

/** Maximum number of lines above the cursor that are read. */
const MAX_LINES = 2_000;

function inYaml(source: SchemaSource, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const first = Math.max(1, line.number - MAX_LINES);
  const before = state.doc.sliceString(state.doc.line(first).from, line.from).split("\n").slice(0, -1);
  const written = line.text.slice(0, pos - line.from);
  const place = yamlPlace(before, written);
  if (place === undefined) return null;
  const from = line.from + place.from;
  if (place.writes === "key") {
    const properties = from < pos || explicit ? fieldsAt(source, place.path) : undefined;
    return properties ? { from, options: keyOptions(properties, yamlKey) } : null;
  }
  const options = (offeredBy(schemaAt(source, place.path)) ?? []).filter(isScalar);
  return options.length === 0 ? null : { from, options: options.map(yamlValue) };
}

const yamlKey = (name: string) => ({ label: name, apply: `${name}: ` });

const isScalar = (value: unknown) => typeof value !== "object" || value === null;

/** Texts that YAML would read as another type need quotes. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z/][\w/.-]*$/i;

const yamlValue = (value: unknown): Completion => ({
  label: typeof value === "string" && PLAIN.test(value) ? value : JSON.stringify(value),
  type: "enum",
});
