import { Button, Group, Modal } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

/**
 * Returns a dialog to be rendered anywhere in the page.
 * @param save reports whether it succeeded; undefined if the changes cannot be saved
 */
export function useLeaveQuestion(unsaved: boolean, save: (() => Promise<boolean>) | undefined): ReactNode {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const blocker = useBlocker({
    // A switch of tabs on the same page loses nothing.
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    // On closing the window, browsers show only a text of their own.
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  async function saveAndGo() {
    setSaving(true);
    const done = await save?.();
    setSaving(false);
    if (done) blocker.proceed?.();
    else blocker.reset?.();
  }
  return (
    <Modal
      opened={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("editor.leave")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <Group justify="flex-end">
        <Button variant="default" onClick={() => blocker.reset?.()}>
          {t("leave.stay")}
        </Button>
        <Button variant="default" color="red" onClick={() => blocker.proceed?.()}>
          {t("leave.go")}
        </Button>
        {save === undefined ? null : (
          <Button loading={saving} onClick={() => void saveAndGo()}>
            {t("leave.save")}
          </Button>
        )}
      </Group>
    </Modal>
  );
}
