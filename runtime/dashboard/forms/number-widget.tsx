import { NumberInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { useContext } from "react";
import { useTranslation } from "react-i18next";
import { FieldPathContext } from "./field-template";
import { inputProps } from "./input-props";
import { useUnreadable } from "./unreadable-fields";

/** A number. An incomplete one ("-", "1.") is an unreadable field of the form, not another value. */
export function NumberWidget(props: WidgetProps) {
  const { value, schema, onChange } = props;
  const { t } = useTranslation();
  const { unreadable, tell } = useUnreadable(useContext(FieldPathContext));
  function typed(next: string | number) {
    const number = next === "" ? undefined : numberOf(next);
    if (number === null) return tell({ text: String(next), reason: t("form.not_number") });
    tell(undefined);
    onChange(number);
  }
  return (
    <NumberInput
      {...inputProps(props)}
      allowDecimal={schema.type !== "integer"}
      allowNegative={!(Number(schema.minimum) >= 0)}
      value={unreadable?.text ?? shown(value)}
      error={unreadable?.reason}
      onChange={typed}
    />
  );
}

const shown = (value: unknown): string | number =>
  typeof value === "number" || typeof value === "string" ? value : "";

/** @returns null if it is no number yet, or an integer that JavaScript cannot represent exactly */
export function numberOf(typed: string | number): number | null {
  if (typeof typed === "number") return typed;
  const number = /\d$/.test(typed) ? Number(typed) : Number.NaN;
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
    ? number
    : null;
}
