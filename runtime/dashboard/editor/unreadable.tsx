import { Alert, Button, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Draft, withValue } from "./draft";

export interface UnreadableProps {
  draft: Draft;
  /** The open view; undefined: the view in which the text was typed, or next to it. */
  tab?: string;
  onChange(draft: Draft): void;
}

/** Reason why the text is invalid, and in another view a note that it shows the previous value. */
export function Unreadable({ draft, tab = draft.text?.format ?? "json", onChange }: UnreadableProps) {
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
