import type { WidgetProps } from "@rjsf/utils";

/** Props that every input of the kit takes from its widget. An entry of a list has no label of its own, but a name. */
export const inputProps = ({
  id,
  label,
  hideLabel,
  placeholder,
  schema,
  required,
  readonly,
}: WidgetProps) => ({
  id,
  ...(label === "" || hideLabel === true ? { "aria-label": label || id } : { label }),
  description: schema.description,
  placeholder,
  required: required === true,
  readOnly: readonly === true,
});

/** Value of a text input; a value of another type is written out. */
export const textIn = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);
