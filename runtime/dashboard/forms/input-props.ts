import type { WidgetProps } from "@rjsf/utils";

/** An entry of a list has no visible label, but an accessible name. */
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

export const textIn = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);
