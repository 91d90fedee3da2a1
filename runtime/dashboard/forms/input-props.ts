import type { WidgetProps } from "@rjsf/utils";

/**
 * Props that every Mantine input takes from its widget. An entry of a list has no visible label, but an
 * accessible name.
 */
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

/** Value of a text input; a value of another type is converted to text. */
export const textIn = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);
