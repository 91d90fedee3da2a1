import { parse as parseYaml, stringify as yamlText } from "yaml";
import { OWN_FIELDS, type Value } from "../api/resources";
import type { UnreadableField } from "../forms/unreadable-fields";
import { inStep } from "./commented-yaml";

export type Format = "json" | "yaml";

/** Edited value, and the text that cannot be parsed yet, if there is one. */
export interface Draft {
  /** Last valid value, shown in form, YAML and JSON. */
  value: Value;
  /** Text in a text view; absent if it is that of the value. */
  text?: { format: Format; text: string } | undefined;
  /** Last valid YAML text with comments; changes in other views are applied to it. */
  commented?: string | undefined;
  /** Reason why `text` is invalid. */
  problem?: string;
  /** Form fields whose text is not valid yet: the value still has their previous content. */
  unreadable?: readonly UnreadableField[] | undefined;
}

export const NO_FIELDS: readonly UnreadableField[] = [];

/** Reports whether the value contains everything typed. Otherwise it must not be saved. */
export const isWhole = ({ problem, unreadable = NO_FIELDS }: Draft): boolean =>
  problem === undefined && unreadable.length === 0;

/** Reports whether something was typed since a version. */
export const isEdited = (draft: Draft, since: Value): boolean =>
  !isWhole(draft) || textOf(draft.value, "json") !== textOf(since, "json");

export const editable = (value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !OWN_FIELDS.has(name)));

export const textOf = (value: Value, format: Format): string =>
  format === "json" ? `${JSON.stringify(value, null, 2)}\n` : yamlText(value);

export function shownText({ value, text, commented }: Draft, format: Format): string {
  if (text?.format === format) return text.text;
  const kept = format === "yaml" && commented !== undefined ? inStep(commented, value) : undefined;
  return kept ?? textOf(value, format);
}

export const withValue = ({ commented }: Draft, value: Value, unreadable: Draft["unreadable"]): Draft => ({
  ...{ value, unreadable, commented },
});

/** Text to send: the user's own JSON if there is one, so that spans of diagnostics refer to it. */
export const sentText = (draft: Draft): string => shownText(draft, "json");

/** Characters from which duplicate names in YAML are not detected, because each is compared with all before. */
const LONG = 50_000;

const fromYaml = (text: string): unknown => parseYaml(text, { uniqueKeys: text.length < LONG });

/** A possible comment. A "#" in quotes also matches, which does no harm. */
const COMMENT = /(?:^|\s)#/;

/** Updates a draft from a text; while the text is invalid the value stays. */
export function typed(draft: Draft, format: Format, text: string): Draft {
  const { unreadable, commented } = draft;
  try {
    const value: unknown = format === "json" ? JSON.parse(text) : fromYaml(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { ...draft, text: { format, text }, problem: "not_object" };
    // An alias of YAML can make a recursive value, which JSON cannot express.
    if (format === "yaml") JSON.stringify(value);
    const kept = format === "json" ? commented : COMMENT.test(text) ? text : undefined;
    return { value: value as Value, text: { format, text }, unreadable, commented: kept };
  } catch (error) {
    return { ...draft, text: { format, text }, problem: error instanceof Error ? error.message : "" };
  }
}

/** Sets a field of a value; undefined removes it. */
export function withField(value: Value, name: string, field: unknown): Value {
  const { [name]: _, ...rest } = value;
  return field === undefined ? rest : { ...value, [name]: field };
}

export type Plugins = Readonly<Record<string, Value>>;

export const pluginsOf = ({ plugins }: Value): Plugins => (plugins ?? {}) as Plugins;

export const withPlugins = (value: Value, plugins: Plugins): Value =>
  withField(value, "plugins", Object.keys(plugins).length === 0 ? undefined : plugins);
