import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  notifyFailure,
  useLive,
  useQuestion,
  useWriteRefusal,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, enable } from "./api";
import { RowButton } from "./row-button";

interface EnabledButtonProps {
  kind: CaptchaKind;
  id: string;
  enabled: boolean;
  /** Consequences of disabling it. */
  text: ReactNode;
  isOfFile: boolean;
}

/** Asks for a confirmation before it disables. */
export function EnabledButton({ kind, id, enabled, text, isOfFile }: EnabledButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const live = useLive();
  const question = useQuestion();
  const why = viewer ?? (isOfFile ? t("captcha.of_file") : undefined);
  async function go() {
    try {
      const changes = await enable(kind, id, !enabled);
      await live(t(`captcha.${enabled ? "off" : "on"}_${kind}_done`, { id }), changes);
    } catch (error) {
      notifyFailure(t(error instanceof AdminError ? "refused.title" : "failed.save"), error);
    }
  }
  const ask = () =>
    question({
      title: t(`captcha.off_${kind}_ask`, { id }),
      text,
      confirm: t(`captcha.off_${kind}`),
      onConfirm: go,
    });
  const word = t(`captcha.${enabled ? "off" : "on"}_${kind}`);
  const onClick = () => (enabled ? ask() : void go());
  return <RowButton {...{ word, why, onClick }} label={`${word} ${id}`} />;
}
