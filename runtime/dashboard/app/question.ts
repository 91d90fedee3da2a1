import { modals } from "@mantine/modals";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

export interface Question {
  title: string;
  text: ReactNode;
  confirm: string;
  onConfirm(): Promise<void>;
}

/** Confirms an action that deletes or stops something: a dialog with a red button, and Cancel. */
export function useQuestion(): (question: Question) => void {
  const { t } = useTranslation();
  return ({ title, text, confirm, onConfirm }) =>
    void modals.openConfirmModal({
      title,
      children: text,
      labels: { confirm, cancel: t("action.cancel") },
      confirmProps: { color: "red" },
      closeButtonProps: { "aria-label": t("action.close") },
      onConfirm: () => void onConfirm(),
    });
}
