import { parse as parseYaml, stringify as yamlText } from "yaml";
import { OWN_FIELDS, type Value } from "../api/resources";
import type { UnreadableField } from "../forms/unreadable-fields";
import { inStep } from "./commented-yaml";

/** How the text of a resource is shown. */
export type Format = "json" | "yaml";

/** Edited value, and the text that cannot be read yet, if there is one. */
export interface Draft {
  /** The last that could be read. Form, YAML and JSON all show it. */
  value: Value;
  /** Text in a text view; absent: that of the value. */
  text?: { format: Format; text: string } | undefined;
  /** The last YAML that was typed and could be read, where it has comments: what is changed elsewhere is changed in it. */
  commented?: string | undefined;
  /** Why `text` is no value. */
  problem?: string;
  /** Fields of the form whose text is no value yet: the value has what they held before. */
  unreadable?: readonly UnreadableField[] | undefined;
}

export const NO_FIELDS: readonly UnreadableField[] = [];

/** Reports whether the value is all that was typed. Nothing else may be saved. */
export const isWhole = ({ problem, unreadable = NO_FIELDS }: Draft): boolean =>
  problem === undefined && unreadable.length === 0;

/** Without what the gateway writes itself. */
export const editable = (value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !OWN_FIELDS.has(name)));

export const textOf = (value: Value, format: Format): string =>
  format === "json" ? `${JSON.stringify(value, null, 2)}\n` : yamlText(value);

/** Text in a view of this format. */
export function shownText({ value, text, commented }: Draft, format: Format): string {
  if (text?.format === format) return text.text;
  const kept = format === "yaml" && commented !== undefined ? inStep(commented, value) : undefined;
  return kept ?? textOf(value, format);
}

/** A draft with another value than that of its text, as a form makes it. */
export const withValue = ({ commented }: Draft, value: Value, unreadable: Draft["unreadable"]): Draft => ({
  ...{ value, unreadable, commented },
});

/** Text that is sent: the user's own JSON where there is one, so that places in findings are theirs. */
export const sentText = (draft: Draft): string => shownText(draft, "json");

/** Characters from which a name that comes twice in YAML is not looked for: each name is compared with all before it. */
const LONG = 50_000;

const fromYaml = (text: string): unknown => parseYaml(text, { uniqueKeys: text.length < LONG });

/** A possible comment; a "#" in quotes is kept as well as one. */
const COMMENT = /(?:^|\s)#/;

/** Takes a text; while it cannot be read the value stays. */
export function typed(draft: Draft, format: Format, text: string): Draft {
  const { unreadable, commented } = draft;
  try {
    const value: unknown = format === "json" ? JSON.parse(text) : fromYaml(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { ...draft, text: { format, text }, problem: "not_object" };
    // An alias of YAML can make a value that holds itself, which no JSON can say.
    if (format === "yaml") JSON.stringify(value);
    const kept = format === "json" ? commented : COMMENT.test(text) ? text : undefined;
    return { value: value as Value, text: { format, text }, unreadable, commented: kept };
  } catch (error) {
    return { ...draft, text: { format, text }, problem: error instanceof Error ? error.message : "" };
  }
}

/** A value with one field changed; undefined takes the field out. */
export function withField(value: Value, name: string, field: unknown): Value {
  const { [name]: _, ...rest } = value;
  return field === undefined ? rest : { ...value, [name]: field };
}

export type Plugins = Readonly<Record<string, Value>>;

export const pluginsOf = ({ plugins }: Value): Plugins => (plugins ?? {}) as Plugins;

export const withPlugins = (value: Value, plugins: Plugins): Value =>
  withField(value, "plugins", Object.keys(plugins).length === 0 ? undefined : plugins);
