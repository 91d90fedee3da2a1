import { TextInput } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { MAX_NOTE, setNote, useNote } from "../api/note";

interface NoteFieldProps {
  /** There is a change: the text said of one goes with it. */
  of: boolean;
}

/**
 * Why the change is made that is about to be saved; offered, not asked. It goes with the page, and is there before the first change:
 * coming with it, it would push away the field that is typed into.
 */
export function NoteField({ of }: NoteFieldProps) {
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
