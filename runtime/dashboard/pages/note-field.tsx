import { TextInput } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { LONGEST_NOTE, setNote, useNote } from "../api/note";

/** Why the change is made that is about to be saved; offered, not asked. It goes with the page. */
export function NoteField() {
  const { t } = useTranslation();
  const note = useNote();
  useEffect(() => () => setNote(""), []);
  return (
    <TextInput
      maw={640}
      label={t("history.note")}
      description={t("history.note_hint")}
      maxLength={LONGEST_NOTE}
      value={note}
      onChange={(event) => setNote(event.currentTarget.value)}
    />
  );
}
