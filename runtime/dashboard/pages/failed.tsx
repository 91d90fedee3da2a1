import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Title order={1}>{t("not_found.title")}</Title>
      <Text>{t("not_found.text")}</Text>
    </Stack>
  );
}

/** Message in place of a page whose own code failed. */
export function PageFailed({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" title={t("failed.page")}>
      {error instanceof Error ? error.message : String(error)}
    </Alert>
  );
}

/** Message if the data of a page could not be loaded. */
export function LoadFailed({ error, retry }: { error: Error; retry: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" title={t("failed.load")} role="alert">
      <Stack gap="sm">
        <Text size="sm">{error.message}</Text>
        <Group>
          <Button size="xs" variant="default" onClick={retry}>
            {t("action.retry")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
