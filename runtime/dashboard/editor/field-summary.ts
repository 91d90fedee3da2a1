import type { TFunction } from "i18next";
import type { Schema } from "../forms/schema";

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
