import { Alert, Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { type ReactNode, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";

/** Maximum width of forms and tiles in px; tables may be wider. */
export const WIDEST = 1_440;

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

/** Head of a table with one line of column names. */
export function ColumnHeads({ names }: { names: readonly string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name}>{name}</Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

/**
 * Secondary content of a page, rendered in a second frame. A page that is opened for the first time runs code
 * that the browser has not compiled yet; a third of it belongs to such content.
 */
export function AfterFirstFrame({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}

/** Adds the index as key to items without a name; each response replaces all items at once. */
export function numbered<Item>(items: readonly Item[]): { key: string; item: Item }[] {
  return items.map((item, at) => ({ key: String(at), item }));
}
