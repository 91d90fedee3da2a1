import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useTranslation } from "react-i18next";
import { readSession } from "../api/client";
import { revert } from "../api/history";
import { useRefetch } from "../api/resources";
import { renewSession } from "../api/session";

/** Time in ms for an undo in the notification; afterwards the history can revert it. */
const UNDO_MS = 60_000;
/** Id of the notification that is shown. */
let told: string | undefined;

/** Several undo buttons could not be told apart; the history has the other changes. */
function replaceNotification(id: string): void {
  if (told !== undefined) notifications.hide(told);
  told = id;
}

/** Generation that serves now; undefined if the gateway does not respond, which undoes no change. */
async function generationNow(): Promise<number | undefined> {
  try {
    const session = await readSession();
    renewSession(session);
    return session.generation;
  } catch {
    return undefined;
  }
}

/**
 * Notifies with an undo. The history performs it: it has the original secrets, keeps later changes by others,
 * and rejects an undo of fields that they changed too.
 * @param changes empty if they cannot be undone
 */
export function useLive(): (
  title: string | undefined,
  changes: readonly number[],
  undone?: () => Promise<unknown>,
) => Promise<void> {
  const { t } = useTranslation();
  const forget = useRefetch();
  const saying = (what: "created" | "undone", generation: number | undefined) =>
    generation === undefined ? t(`live.${what}_unheard`) : t(`live.${what}`, { generation });
  return async (title, changes, undone) => {
    const [generation] = await Promise.all([generationNow(), forget()]);
    const isUndoable = changes.length > 0;
    const id = `live-${Date.now()}`;
    async function takeBack() {
      notifications.hide(id);
      let done = 0;
      try {
        for (const number of [...changes].reverse()) {
          await revert(number);
          done += 1;
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const count = changes.length;
        const message = count > 1 ? t("live.undo_stopped", { done, count, reason }) : reason;
        notifications.show({ title: t("live.undo_failed"), message, color: "red", autoClose: false });
        if (done > 0) await forget();
        return;
      }
      // A version that cannot be read now is read when the gateway responds again.
      await undone?.().catch(() => undefined);
      const [after] = await Promise.all([generationNow(), forget()]);
      notifications.show({ message: saying("undone", after), color: "gray" });
    }
    replaceNotification(id);
    notifications.show({
      id,
      color: "green",
      autoClose: isUndoable ? UNDO_MS : 5_000,
      title,
      closeButtonProps: { "aria-label": t("action.close") },
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{saying("created", generation)}</Text>
          {isUndoable ? (
            <Button size="compact-sm" variant="default" onClick={() => void takeBack()}>
              {t("action.undo")}
            </Button>
          ) : null}
        </Group>
      ),
    });
  };
}
