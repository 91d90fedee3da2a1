import type { WidgetProps } from "@rjsf/utils";
import { TextBox } from "./text-box";

/** A text: of one line, of many, or a secret. */
export function TextWidget(props: WidgetProps) {
  const { id, value, label, hideLabel, placeholder, schema, options, required, readonly, onChange } = props;
  return (
    <TextBox
      id={id}
      {...(label === "" || hideLabel === true ? { "aria-label": label || id } : { label })}
      description={schema.description}
      placeholder={placeholder}
      required={required === true}
      readOnly={readonly === true}
      value={value === undefined || value === null ? "" : String(value)}
      isLong={options["long"] === true}
      isSecret={options["secret"] === true}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}
