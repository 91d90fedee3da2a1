import { Button } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AdminError, notifyFailure, useLive, useWriteRefusal } from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, enable } from "./api";

interface EnabledButtonProps {
  kind: CaptchaKind;
  id: string;
  enabled: boolean;
  /** What stops working once it is off. */
  text: ReactNode;
  isOfFile: boolean;
}

/** Switches off after a question that says what stops, or on again. */
export function EnabledButton({ kind, id, enabled, text, isOfFile }: EnabledButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const live = useLive();
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
    modals.openConfirmModal({
      title: t(`captcha.off_${kind}_ask`, { id }),
      children: text,
      labels: { confirm: t(`captcha.off_${kind}`), cancel: t("action.cancel") },
      confirmProps: { color: "red" },
      closeButtonProps: { "aria-label": t("action.close") },
      onConfirm: () => void go(),
    });
  const word = t(`captcha.${enabled ? "off" : "on"}_${kind}`);
  return (
    <Button
      size="xs"
      variant="default"
      disabled={why !== undefined}
      title={why}
      aria-label={`${word} ${id}`}
      onClick={() => (enabled ? ask() : void go())}
    >
      {word}
    </Button>
  );
}
