import { Alert, Button, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type FieldSteps, nameOfField, type UnreadableField, withoutField } from "../forms/unreadable-fields";
import { type Draft, NO_FIELDS, withValue } from "./draft";

export interface UnreadableProps {
  draft: Draft;
  /** The open view. */
  tab: string;
  onChange(draft: Draft): void;
}

/** Reason why the text is invalid, and in another view a note that it shows the previous value. */
export function Unreadable({ draft, tab, onChange }: UnreadableProps) {
  const { t } = useTranslation();
  const { text, problem, value, unreadable } = draft;
  if (problem === undefined) return null;
  const why =
    problem === "not_object" ? "editor.not_object" : (`editor.not_${text?.format ?? "json"}` as const);
  return (
    <Alert color="red" mt="md">
      {t(why, { reason: problem })}
      {tab === text?.format ? null : <Text size="sm">{t("editor.repair")}</Text>}
      <Button
        size="compact-sm"
        variant="default"
        mt="xs"
        display="block"
        onClick={() => onChange(withValue(draft, value, unreadable))}
      >
        {t("unreadable.drop")}
      </Button>
    </Alert>
  );
}

/** Fields with invalid text, each with the reason and a button that discards the text. */
export function UnreadableAlerts({
  draft,
  onChange,
  onGo,
}: {
  draft: Draft;
  onChange(draft: Draft): void;
  onGo(path: FieldSteps): void;
}) {
  const { t } = useTranslation();
  const all = draft.unreadable ?? NO_FIELDS;
  return all.map(({ path, reason }) => (
    <Alert key={nameOfField(path)} color="red" title={t("unreadable.title", { field: nameOfField(path) })}>
      <Text size="sm">{reason}</Text>
      <Button
        size="compact-sm"
        variant="default"
        mt="xs"
        onClick={() => onChange({ ...draft, unreadable: withoutField(all, path) })}
      >
        {t("unreadable.drop")}
      </Button>
      <Button size="compact-sm" variant="default" mt="xs" ml="sm" onClick={() => onGo(path)}>
        {t("findings.go")}
      </Button>
    </Alert>
  ));
}

/** Reason why a draft cannot be saved yet, for its button; undefined if it can be saved. */
export function useUnsavable({ unreadable = NO_FIELDS }: Draft): string | undefined {
  const { t } = useTranslation();
  if (unreadable.length === 0) return undefined;
  const fields = unreadable.map(({ path }: UnreadableField) => nameOfField(path)).join(", ");
  return t("unreadable.save", { fields });
}
