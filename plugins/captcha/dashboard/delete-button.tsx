import { Button } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  lastChange,
  notifyFailure,
  useLive,
  useWriteRefusal,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, pathOf, remove } from "./api";

export interface DeleteButtonProps {
  kind: CaptchaKind;
  id: string;
  /** What follows from it. */
  text: ReactNode;
  /** Why it cannot be deleted, whoever asks. */
  refusal?: string | undefined;
  onDone?(): void;
}

/** Deletes after a question that says what follows; it can be taken back for a minute. */
export function DeleteButton({ kind, id, text, refusal, onDone }: DeleteButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const live = useLive();
  const why = viewer ?? refusal;
  async function gone() {
    try {
      await remove(kind, id);
      onDone?.();
      await live(t("delete.done", { id }), await lastChange(pathOf(kind), id));
    } catch (error) {
      notifyFailure(t(error instanceof AdminError ? "refused.title" : "failed.save"), error);
    }
  }
  const ask = () =>
    modals.openConfirmModal({
      title: t(`captcha.delete_${kind}`, { id }),
      children: text,
      labels: { confirm: t("action.delete"), cancel: t("action.cancel") },
      confirmProps: { color: "red" },
      closeButtonProps: { "aria-label": t("action.close") },
      onConfirm: () => void gone(),
    });
  return (
    <Button
      size="xs"
      variant="default"
      disabled={why !== undefined}
      title={why}
      aria-label={t("captcha.delete_of", { id })}
      onClick={ask}
    >
      {t("action.delete")}
    </Button>
  );
}
