import { Switch, TagsInput } from "@mantine/core";
import { Theme } from "@rjsf/mantine";
import type { RegistryFieldsType, RegistryWidgetsType, WidgetProps } from "@rjsf/utils";
import type { ComponentType } from "react";
import { useClosedList } from "./closed-list";
import { inputProps } from "./input-props";
import { JsonField } from "./json-field";
import { MapField } from "./map-field";
import { NumberWidget } from "./number-widget";
import { ReferenceWidget } from "./reference-widget";
import { RegexWidget } from "./regex-widget";
import { TextWidget } from "./text-widget";

/** Switch for a boolean; without a value it shows the default, which is the placeholder. */
function SwitchWidget({ id, value, options, label, schema, readonly, disabled, onChange }: WidgetProps) {
  return (
    <Switch
      id={id}
      checked={(value ?? options["placeholder"] === "true") === true}
      label={label}
      description={schema.description}
      disabled={disabled === true}
      aria-readonly={readonly === true || undefined}
      onChange={(event) => (readonly ? undefined : onChange(event.currentTarget.checked))}
    />
  );
}

/** Switch for 1 or 0. */
function BitWidget({ value, options, onChange, ...props }: WidgetProps) {
  const isOn = (value ?? Number(props.placeholder ?? 0)) === 1;
  return (
    <SwitchWidget {...props} options={options} value={isOn} onChange={(next) => onChange(next ? 1 : 0)} />
  );
}

const KitSelect = Theme.widgets?.["SelectWidget"] as ComponentType<WidgetProps>;

/** Mantine's widget, with the description of the schema. The default list is shown only while nothing is selected. */
function SelectWidget({ placeholder = "", ...props }: WidgetProps) {
  const { value, schema, options } = props;
  const closedList = useClosedList();
  const isChosen = Array.isArray(value) && value.length > 0;
  return (
    <KitSelect
      {...props}
      // Mantine would grey out a read-only field, and its text could not be selected.
      readonly={false}
      placeholder={isChosen ? "" : placeholder}
      options={{
        ...options,
        description: schema.description,
        readOnly: props.readonly === true,
        comboboxProps: { withinPortal: false, ...closedList },
      }}
    />
  );
}

/** Several texts, each completed by Enter. */
function TextsWidget(props: WidgetProps) {
  const { value = [], placeholder = "", onChange } = props;
  const closedList = useClosedList();
  const texts = value as string[];
  return (
    <TagsInput
      {...inputProps(props)}
      placeholder={texts.length === 0 ? placeholder : ""}
      value={texts}
      comboboxProps={closedList}
      splitChars={[]}
      acceptValueOnBlur
      onChange={(next) => onChange(next.length === 0 ? undefined : next)}
    />
  );
}

export const FIELDS: RegistryFieldsType = { json: JsonField, map: MapField };
export const WIDGETS: RegistryWidgetsType = {
  CheckboxWidget: SwitchWidget,
  SelectWidget,
  TextWidget,
  number: NumberWidget,
  bit: BitWidget,
  texts: TextsWidget,
  reference: ReferenceWidget,
  regex: RegexWidget,
};
