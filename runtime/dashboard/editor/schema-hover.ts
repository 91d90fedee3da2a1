import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { TFunction } from "i18next";
import type { Schema } from "../forms/schema";
import { fieldAt, keyOf, pathTo, type SchemaSource, schemaAt } from "./schema-at";

export type FieldHover = (name: string, schema: Schema) => FieldSummary;

interface Found {
  from: number;
  to: number;
  facts: FieldSummary;
}

/** Shows the schema of a field: at the mouse pointer, and with F1 at the cursor. */
export function schemaHover(source: SchemaSource, facts: FieldHover): Extension {
  const found = (state: EditorState, pos: number, side: -1 | 1): Found | undefined => {
    const field = fieldAt(state, pos, side);
    const key = field && keyOf(field);
    if (!key) return undefined;
    const path = pathTo(state, field);
    const schema = schemaAt(source, path);
    const name = path.at(-1);
    if (schema === undefined || name === undefined) return undefined;
    return { from: key.from, to: key.to, facts: facts(name, schema) };
  };
  return [
    hoverTooltip((view, pos, side) => tooltipOf(found(view.state, pos, side)), { hideOnChange: true }),
    shownAtCursor,
    keymap.of([
      { key: "F1", run: (view) => tell(view, found(view.state, view.state.selection.main.head, 1)) },
      { key: "Escape", run: hide },
    ]),
  ];
}

const setShown = StateEffect.define<Tooltip | null>();

/** Tooltip of F1, until the next edit or cursor movement. */
const shownAtCursor = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(setShown)) return effect.value;
    return docChanged || selection !== undefined ? null : before;
  },
  provide: (field) => showTooltip.from(field),
});

/** @returns true: handles the key even without a tooltip, so that the browser's help does not open */
function tell(view: EditorView, found: Found | undefined): boolean {
  const effects: StateEffect<unknown>[] = [setShown.of(tooltipOf(found))];
  if (found !== undefined) {
    const { title, description, lines } = found.facts;
    effects.push(EditorView.announce.of([title, description, ...lines].filter(Boolean).join(". ")));
  }
  view.dispatch({ effects });
  return true;
}

function hide(view: EditorView): boolean {
  if (view.state.field(shownAtCursor) === null) return false;
  view.dispatch({ effects: setShown.of(null) });
  return true;
}

const tooltipOf = (found: Found | undefined): Tooltip | null =>
  found === undefined
    ? null
    : { pos: found.from, end: found.to, above: true, create: () => ({ dom: shown(found.facts) }) };

function shown({ title, description, lines }: FieldSummary): HTMLElement {
  const box = document.createElement("div");
  box.className = "field-facts";
  box.role = "tooltip";
  const add = (name: string, text: string) => {
    const part = document.createElement(name);
    part.textContent = text;
    box.append(part);
  };
  add("strong", title);
  if (description !== undefined) add("p", description);
  for (const line of lines) add("div", line);
  return box;
}

export interface FieldSummary {
  title: string;
  description: string | undefined;
  lines: string[];
}

const MAX_VALUES = 12;

export function fieldSummary(t: TFunction, name: string, schema: Schema): FieldSummary {
  const { title, description, type, enum: choices, const: only } = schema;
  const shown = (value: unknown) => JSON.stringify(value);
  const values = choices ?? (only === undefined ? undefined : [only]);
  const many = values !== undefined && values.length > MAX_VALUES ? ", …" : "";
  const range = (key: string, least: unknown, most: unknown) => {
    const [min, max] = [least, most].map((limit) => (typeof limit === "number" ? limit : undefined));
    if (min === undefined && max === undefined) return [];
    const which = max === undefined ? "least" : min === undefined ? "most" : "between";
    return [t(`field.${key}_${which}`, { min, max })];
  };
  return {
    title: title === undefined || title === name ? name : `${name}: ${title}`,
    description,
    lines: [
      ...(type === undefined ? [] : [t("field.type", { types: [type].flat().join(", ") })]),
      ...(schema.default === undefined ? [] : [t("field.default", { value: shown(schema.default) })]),
      ...(values === undefined
        ? []
        : [t("field.one_of", { values: `${values.slice(0, MAX_VALUES).map(shown).join(", ")}${many}` })]),
      ...range("value", schema["minimum"], schema["maximum"]),
      ...range("length", schema["minLength"], schema["maxLength"]),
      ...range("items", schema["minItems"], schema["maxItems"]),
    ],
  };
}
