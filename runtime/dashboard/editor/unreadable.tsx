import { Alert, Button, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Draft, withValue } from "./draft";

export interface UnreadableProps {
  draft: Draft;
  /** The view that is open; undefined: the one in which the text was typed, or near it. */
  tab?: string;
  onChange(draft: Draft): void;
}

/** Why the text is no value, and, where another view is open, that this shows the one before. */
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
