import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  deletionOf,
  notifyFailure,
  useLive,
  useQuestion,
  useWriteRefusal,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, pathOf, remove } from "./api";
import { RowButton } from "./row-button";

export interface DeleteButtonProps {
  kind: CaptchaKind;
  id: string;
  /** Consequences. */
  text: ReactNode;
  /** Reason why nobody can delete it. */
  refusal?: string | undefined;
  onDone?(): void;
}

/** Confirmation with the consequences; an undo is possible for a minute. */
export function DeleteButton({ kind, id, text, refusal, onDone }: DeleteButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const live = useLive();
  const question = useQuestion();
  const why = viewer ?? refusal;
  async function gone() {
    try {
      await remove(kind, id);
      onDone?.();
      await live(t("delete.done", { id }), await deletionOf(pathOf(kind), id));
    } catch (error) {
      notifyFailure(t(error instanceof AdminError ? "refused.title" : "failed.save"), error);
    }
  }
  const ask = () =>
    question({
      title: t(`captcha.delete_${kind}`, { id }),
      text,
      confirm: t("action.delete"),
      onConfirm: gone,
    });
  return (
    <RowButton word={t("action.delete")} label={t("captcha.delete_of", { id })} why={why} onClick={ask} />
  );
}
