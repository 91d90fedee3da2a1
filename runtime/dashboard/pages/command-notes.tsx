import { Alert, List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { CurlNotes } from "../curl/command";

/** Parts of a pasted command that the form has no fields for. */
export function CommandNotes({ notes }: { notes: CurlNotes | undefined }) {
  const { t } = useTranslation();
  if (notes === undefined) return null;
  const { untried, unknown, open, isFirst } = notes;
  const lines = [
    ...(untried.length === 0 ? [] : [t("ask.untried", { list: untried.join(", ") })]),
    ...(unknown.length === 0 ? [] : [t("ask.unknown", { list: unknown.join(", ") })]),
    ...(open.length === 0 ? [] : [t("ask.open", { list: open.join(", ") })]),
    ...(isFirst ? [t("ask.first")] : []),
  ];
  if (lines.length === 0) return null;
  return (
    <Alert color="yellow" role="status" title={t("ask.notes")}>
      <List size="sm" className="wrapped">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
