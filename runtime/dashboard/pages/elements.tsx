import {
  Alert,
  Button,
  type ElementProps,
  Group,
  Skeleton,
  Stack,
  type StyleProp,
  Table,
  type TableProps,
  Text,
  type TextProps,
  Title,
} from "@mantine/core";
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

interface PendingProps {
  query: { data: unknown; error: Error | null; refetch(): Promise<unknown> };
  /** Height of the data in px, so that content below does not move. */
  h: StyleProp<number>;
}

/** In place of data that is not loaded yet: a skeleton, or the reason. */
export function Pending({ query: { data, error, refetch }, h }: PendingProps) {
  if (data !== undefined) return null;
  return error ? <LoadFailed error={error} retry={() => void refetch()} /> : <Skeleton h={h} aria-busy />;
}

interface DimmedProps extends TextProps, ElementProps<"p", keyof TextProps> {}

/** Secondary text. */
export const Dimmed = (props: DimmedProps) => <Text size="sm" c="dimmed" {...props} />;

interface DataTableProps extends TableProps {
  minWidth: number;
  columns: readonly string[];
}

/** A table that scrolls sideways in narrow windows, with one line of column names. */
export function DataTable({ minWidth, columns, children, ...table }: DataTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table {...table}>
        <ColumnHeads names={columns} />
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Head of a table with one line of column names. */
function ColumnHeads({ names }: { names: readonly string[] }) {
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
