import { withTheme } from "@rjsf/core";
import { Theme } from "@rjsf/mantine";
import type { FormContextType, RJSFSchema } from "@rjsf/utils";
import { useMemo, useRef } from "react";
import type { Value } from "../api/resources";
import { ListItemTemplate, ListTemplate } from "./entries";
import { FIELDS } from "./fields";
import {
  type FormOptions,
  FormOptionsContext,
  type Goal,
  GoalContext,
  type SaidOfFields,
  SaidOfFieldsContext,
  useLeadTo,
} from "./form-context";
import { formSchema } from "./form-schema";
import type { Schema } from "./schema";
import { FieldTemplate, ObjectTemplate } from "./templates";
import {
  type UnreadableField,
  type UnreadableFields,
  UnreadableFieldsContext,
  withoutField,
} from "./unreadable-fields";
import validator from "./validator";
import { WIDGETS } from "./widgets";

const Form = withTheme<unknown, RJSFSchema, FormContextType>(Theme as never);

export interface SchemaFormProps extends Partial<FormOptions> {
  /** Prefix of the ids of its fields, unique for each form on a page. */
  id: string;
  schema: Schema;
  value: Value;
  /** Properties that are edited elsewhere; the form preserves them. */
  left?: readonly string[];
  readOnly: boolean;
  /** The caller stores them with the value, and does not save while there are any. */
  unreadable: readonly UnreadableField[];
  said?: SaidOfFields;
  goal?: Goal | undefined;
  onChange(value: Value, unreadable: readonly UnreadableField[]): void;
}

const NOTHING_LEFT: readonly string[] = [];
const TEMPLATES = {
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ListTemplate,
  ArrayFieldItemTemplate: ListItemTemplate,
};
const NOTHING_SAID: SaidOfFields = new Map();
const NO_FORM: FormOptions = { primary: {}, between: {}, open: [] };

/** Reports only invalid input; the caller shows the diagnostics of the compiler. */
export function SchemaForm({
  id,
  schema,
  value,
  left = NOTHING_LEFT,
  primary = NO_FORM.primary,
  between = NO_FORM.between,
  open = NO_FORM.open,
  readOnly,
  unreadable,
  said = NOTHING_SAID,
  goal,
  onChange,
}: SchemaFormProps) {
  // The form of a field depends only on the type of its value, so typing does not rebuild the form.
  const shape = JSON.stringify(shapeOf(value));
  const shown = useMemo(() => formSchema(schema, JSON.parse(shape), left), [schema, shape, left]);
  const told = useMemo((): FormOptions => ({ primary, between, open }), [primary, between, open]);
  useLeadTo(id, goal);
  const { latest, fields } = useToldOfFields({ value, unreadable, onChange });
  function edited(formData: unknown) {
    const next = written({ ...rest(value, left), ...(formData as Value) }, shown.schema) as Value;
    latest.current.value = next;
    onChange(next, latest.current.unreadable);
  }
  return (
    <FormOptionsContext value={told}>
      <GoalContext value={goal}>
        <SaidOfFieldsContext value={said}>
          <UnreadableFieldsContext value={fields}>
            <Form
              tagName="div"
              idPrefix={id}
              schema={shown.schema}
              uiSchema={{ ...shown.uiSchema, "ui:submitButtonOptions": { norender: true } }}
              formData={value}
              fields={FIELDS}
              widgets={WIDGETS}
              templates={TEMPLATES}
              validator={validator}
              readonly={readOnly}
              noHtml5Validate
              liveValidate={false}
              showErrorList={false}
              experimental_defaultFormStateBehavior={{
                // The schema provides defaults: the value contains only what the user has set.
                emptyObjectFields: "skipDefaults",
                arrayMinItems: { populate: "never" },
              }}
              onChange={({ formData }) => edited(formData)}
            />
          </UnreadableFieldsContext>
        </SaidOfFieldsContext>
      </GoalContext>
    </FormOptionsContext>
  );
}

function useToldOfFields({
  value,
  unreadable,
  onChange,
}: Pick<SchemaFormProps, "value" | "unreadable" | "onChange">) {
  // A field reports its text and its value in one step, before either is rendered.
  const latest = useRef({ value, unreadable, onChange });
  latest.current = { value, unreadable, onChange };
  const fields = useMemo((): UnreadableFields => {
    const tell: UnreadableFields["tell"] = (path, found) => {
      const { value: now, unreadable: before, onChange: say } = latest.current;
      if (found === undefined && withoutField(before, path).length === before.length) return;
      const after = [...withoutField(before, path), ...(found ? [{ path, ...found }] : [])];
      latest.current.unreadable = after;
      say(now, after);
    };
    return { all: unreadable, tell };
  }, [unreadable]);
  return { latest, fields };
}

const rest = (value: Value, left: readonly string[]): Value =>
  Object.fromEntries(Object.entries(value).filter(([name]) => left.includes(name)));

/** Type of each field's value; a text or a number is 0. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value === "boolean") return true;
  if (typeof value !== "object" || value === null) return typeof value === "object" ? "null" : 0;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

/** Removes emptied fields, and objects of such fields; in a map an empty text is a value. */
function written(value: unknown, schema: RJSFSchema | undefined): unknown {
  const items = schema?.items as RJSFSchema | undefined;
  if (Array.isArray(value)) return value.map((item) => written(item ?? emptyOf(items), items));
  if (typeof value !== "object" || value === null) return value;
  if (schema?.additionalProperties !== undefined) return value;
  const below = (name: string) => schema?.properties?.[name] as RJSFSchema | undefined;
  const fields = Object.entries(value)
    .map(([name, field]) => [name, isEmptied(field) ? undefined : written(field, below(name))] as const)
    .filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields);
}

/** An empty entry of a list stays in its position. */
const emptyOf = (items: RJSFSchema | undefined): unknown =>
  items?.type === "string" ? "" : items?.type === "object" ? {} : null;

const isEmptied = (field: unknown) => field === undefined || field === null || field === "";
