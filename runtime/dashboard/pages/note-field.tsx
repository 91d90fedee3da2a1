import { TextInput } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { MAX_NOTE, setNote, useNote } from "../api/resources";

/**
 * Optional note that explains the next save. It is cleared with the page. It is shown before the first
 * change, because appearing later it would move the field that the user types into.
 * @param of the draft has changes; without them the note is cleared
 */
export function NoteField({ of }: { of: boolean }) {
  const { t } = useTranslation();
  const note = useNote();
  useEffect(() => () => setNote(""), []);
  useEffect(() => {
    if (!of) setNote("");
  }, [of]);
  return (
    <TextInput
      maw={640}
      label={t("history.note")}
      description={t("history.note_hint")}
      maxLength={MAX_NOTE}
      value={note}
      onChange={(event) => setNote(event.currentTarget.value)}
    />
  );
}
