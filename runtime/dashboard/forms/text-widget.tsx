import type { WidgetProps } from "@rjsf/utils";
import { inputProps, textIn } from "./input-props";
import { TextBox } from "./text-box";

export function TextWidget(props: WidgetProps) {
  const { value, options, onChange } = props;
  return (
    <TextBox
      {...inputProps(props)}
      value={textIn(value)}
      isLong={options["long"] === true}
      isSecret={options["secret"] === true}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}
