import { Autocomplete, Button, NumberInput, Skeleton, Stack, Switch, TagsInput } from "@mantine/core";
import { Theme } from "@rjsf/mantine";
import type { RegistryWidgetsType, WidgetProps } from "@rjsf/utils";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, Suspense, useContext, useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAdmin } from "../api/client";
import { lazyPart } from "../api/fetched-code";
import type { RegexTestInput } from "../api/regex";
import { idOf, isKind, type Listed, listQuery, type Resource } from "../api/resources";
import { FieldPathContext, SiblingFieldsContext } from "./form-context";
import { TextBox } from "./text-box";
import { useUnreadable } from "./unreadable-fields";

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

/**
 * Renders options of a closed list in a frame after the fields, because they take a quarter of the rendering
 * time. `keepMountedMode: "activity"` would leave a list without a name until it was opened once: its first
 * arrow key would mark nothing, and a screen reader would not announce the open list.
 */
const useClosedList = () => ({ keepMounted: useDeferredValue(true, false) });

/** An entry of a list has no visible label, but an accessible name. */
const inputProps = ({ id, label, hideLabel, placeholder, schema, required, readonly }: WidgetProps) => ({
  id,
  ...(label === "" || hideLabel === true ? { "aria-label": label || id } : { label }),
  description: schema.description,
  placeholder,
  required: required === true,
  readOnly: readonly === true,
});

const textIn = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** A number. An incomplete one ("-", "1.") is an unreadable field of the form, not another value. */
function NumberWidget(props: WidgetProps) {
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

function TextWidget(props: WidgetProps) {
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

/** Maximum number of ids in the list; typing narrows it. */
const OFFERED = 50;

const named = (list: readonly Resource[]) => list.map(idOf);

/** The id of a resource: selected, or typed, since the resource may be created later. */
function ReferenceWidget(props: WidgetProps) {
  const { value, options, onChange } = props;
  const path = String(options["refers"]);
  const closedList = useClosedList();
  const [asked, setAsked] = useState(false);
  const { data = [] } = useQuery(
    isKind(path)
      ? { ...listQuery(path), enabled: asked, select: named }
      : {
          queryKey: ["referred", path],
          queryFn: async ({ signal }: { signal: AbortSignal }) =>
            (await callAdmin<Listed>(path, { signal })).body.list,
          enabled: asked,
          select: named,
        },
  );
  return (
    <Autocomplete
      {...inputProps(props)}
      value={textIn(value)}
      comboboxProps={closedList}
      data={data}
      limit={OFFERED}
      onFocus={() => setAsked(true)}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}

const TriedHere = lazyPart(async () => (await import("../pages/tried-here")).TriedHere);

function RegexWidget(props: WidgetProps) {
  const { t } = useTranslation();
  const [isTried, setTried] = useState(false);
  const pattern = textIn(props.value);
  const filter = useFilter(pattern);
  return (
    <Stack gap={4}>
      <TextBox
        {...inputProps(props)}
        value={pattern}
        isCode
        onChange={(next) => props.onChange(next === "" ? undefined : next)}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        w="fit-content"
        aria-expanded={isTried}
        onClick={() => setTried(!isTried)}
      >
        {t("form.try_it")}
      </Button>
      {isTried ? (
        <Suspense fallback={<Skeleton h={160} aria-busy />}>
          <TriedHere filter={filter} />
        </Suspense>
      ) : null}
    </Stack>
  );
}

/** The filter with its sibling fields: a test with another scope could show a text as masked that is not. */
function useFilter(pattern: string): Omit<RegexTestInput, "subject"> {
  const { options, replace, scope, allow_slow } = useContext(SiblingFieldsContext);
  return {
    pattern,
    options: typeof options === "string" ? options : "",
    replace: typeof replace === "string" ? replace : "",
    scope: scope === "global" ? scope : "once",
    allow_slow: allow_slow === true,
  };
}
