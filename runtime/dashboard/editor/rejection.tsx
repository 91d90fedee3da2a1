import { Alert, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { AdminError } from "../api/client";
import { numbered } from "../pages/elements";
import { DiagnosticAlert } from "./diagnostics-panel";

/** Notifies of an error without a field or a diagnostic; the notification stays until it is closed. */
export function notifyFailure(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const closeButtonProps = { "aria-label": i18next.t("action.close") };
  notifications.show({ title, message, color: "red", autoClose: false, closeButtonProps });
}

/** Rejection by the gateway, with its reasons; nothing has changed. */
export function Rejection({ failure }: { failure: AdminError | undefined }) {
  const { t } = useTranslation();
  if (failure === undefined) return null;
  return (
    <Alert color="red" title={t("refused.title")} role="alert" ref={bringIntoSight}>
      <Stack gap="sm">
        {failure.findings.length === 0 ? <Text size="sm">{failure.message}</Text> : null}
        {numbered(failure.findings).map(({ key, item }) => (
          <DiagnosticAlert key={key} finding={item} />
        ))}
      </Stack>
    </Alert>
  );
}

/** Save is visible anywhere in a long form, so a message above must scroll into view. */
export const bringIntoSight = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "center" });
};
