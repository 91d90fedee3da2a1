import { ActionIcon, Group, NumberInput, Textarea, TextInput } from "@mantine/core";
import type { FieldProps, RegistryFieldsType } from "@rjsf/utils";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { numbered } from "../pages/elements";
import { EntriesGroup } from "./entries";
import { TextBox } from "./text-box";
import { useUnreadable } from "./unreadable-fields";
import { numberOf } from "./widgets";
export const FIELDS: RegistryFieldsType = { json: JsonField, map: MapField };

type Entry = [name: string, value: string | number];

/** Holds blank rows itself; an incomplete row makes it an unreadable field of the form. */
function MapField(props: FieldProps) {
  const { formData, schema, uiSchema, name, fieldPathId, readonly, required, onChange } = props;
  const { t } = useTranslation();
  const { unreadable, tell } = useUnreadable(fieldPathId.path);
  const isNumber = uiSchema?.["ui:texts"] !== true;
  const blank: Entry = ["", isNumber ? 1 : ""];
  const written = Object.entries((formData as Record<string, string | number> | undefined) ?? {});
  const [rows, setRows] = useState<Entry[]>(written);
  const kept = unreadable ? (JSON.parse(unreadable.text) as Entry[]) : rows;
  const isKept = unreadable !== undefined || sameEntries(filled(rows, blank), written);
  const entries = isKept ? kept : written;
  function change(next: Entry[]) {
    setRows(next);
    const said = filled(next, blank);
    const names = said.map(([each]) => each);
    const twice = names.find((each, at) => names.indexOf(each) < at);
    const fault = (reason: string) => tell({ text: JSON.stringify(next), reason });
    if (names.includes("")) return fault(t("form.nameless"));
    if (twice !== undefined) return fault(t("form.named_twice", { name: twice }));
    const numbers = said.map(([each, value]) => [each, isNumber ? numberOf(value) : value] as const);
    const half = numbers.find(([, value]) => value === null);
    if (half !== undefined) return fault(t("form.number_of", { name: half[0] }));
    tell(undefined);
    onChange(said.length === 0 ? undefined : Object.fromEntries(numbers), fieldPathId.path);
  }
  return (
    <EntriesGroup
      id={fieldPathId.$id}
      name={name}
      description={schema.description}
      required={required === true}
      problem={unreadable?.reason}
      disabled={entries.some(([each]) => each === "")}
      onAdd={readonly ? undefined : () => change([...entries, blank])}
      count={entries.length}
    >
      {numbered(entries).map(({ key, item }, at) => (
        <EntryLine
          key={key}
          label={t("form.name_of", { name, at: at + 1 })}
          entry={item}
          isNumber={isNumber}
          isSecret={uiSchema?.["ui:secret"] === true}
          readOnly={readonly === true}
          onChange={(entry) =>
            change(entries.flatMap((one, index) => (index === at ? (entry ? [entry] : []) : [one])))
          }
        />
      ))}
    </EntriesGroup>
  );
}

const filled = (rows: readonly Entry[], [name, value]: Entry): Entry[] =>
  rows.filter((row) => row[0] !== name || row[1] !== value);

/** Ignores the order: names that look like numbers come first in an object. */
const sameEntries = (a: readonly Entry[], b: readonly Entry[]): boolean =>
  a.length === b.length &&
  a.every(([name, value]) => b.some((other) => other[0] === name && other[1] === value));

interface EntryLineProps {
  label: string;
  entry: Entry;
  isNumber: boolean;
  isSecret: boolean;
  readOnly: boolean;
  /** Undefined if removed. */
  onChange(entry: Entry | undefined): void;
}

function EntryLine({ label, entry: [name, value], isNumber, isSecret, readOnly, onChange }: EntryLineProps) {
  const { t } = useTranslation();
  const common = { "aria-label": t("form.value_of", { name }), readOnly };
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" data-entry>
      <TextInput
        flex={1}
        aria-label={label}
        value={name}
        readOnly={readOnly}
        onChange={(event) => onChange([event.currentTarget.value, value])}
      />
      {isNumber ? (
        <NumberInput w={120} {...common} value={value} onChange={(next) => onChange([name, next])} />
      ) : (
        <div style={{ flex: 1, minWidth: 0 }}>
          <TextBox
            {...common}
            value={String(value)}
            isSecret={isSecret}
            onChange={(next) => onChange([name, next])}
          />
        </div>
      )}
      {readOnly ? null : (
        <ActionIcon
          data-remove
          size={36}
          variant="subtle"
          color="gray"
          aria-label={t("action.remove", { name })}
          onClick={() => onChange(undefined)}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

/** Updates the value whenever the text is valid; until then it is an unreadable field of the form. */
function JsonField(props: FieldProps) {
  const { formData, schema, uiSchema, name, fieldPathId, readonly, required, onChange } = props;
  const { t } = useTranslation();
  const { unreadable, tell } = useUnreadable(fieldPathId.path);
  const written = formData === undefined ? "" : JSON.stringify(formData, null, 2);
  const [text, setText] = useState(written);
  const example = uiSchema?.["ui:placeholder"] as string | undefined;
  function typed(next: string) {
    setText(next);
    try {
      const value: unknown = next.trim() === "" ? undefined : JSON.parse(next);
      tell(undefined);
      onChange(value, fieldPathId.path);
    } catch (error) {
      const reason = t("editor.not_json", { reason: error instanceof Error ? error.message : "" });
      tell({
        text: next,
        reason: example === undefined ? reason : t("form.for_example", { reason, example }),
      });
    }
  }
  return (
    <Textarea
      id={fieldPathId.$id}
      label={name}
      description={schema.description}
      placeholder={example}
      required={required}
      value={unreadable?.text ?? (sameJson(text, written) ? text : written)}
      onChange={(event) => typed(event.currentTarget.value)}
      error={unreadable?.reason}
      readOnly={readonly}
      rows={2}
      classNames={{ input: "code grows" }}
    />
  );
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return a.trim() === b.trim();
  }
}
