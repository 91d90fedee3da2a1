import {
  Alert,
  Button,
  type ButtonProps,
  CopyButton,
  type ElementProps,
  Group,
  Skeleton,
  Stack,
  type StyleProp,
  Table,
  type TableProps,
  Text,
  TextInput,
  type TextInputProps,
  type TextProps,
  Title,
} from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
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

/** Button that copies a text, and says so. */
export function CopyTextButton({ value, label, ...props }: ButtonProps & { value: string; label: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button {...props} onClick={copy}>
          {copied ? t("action.copied") : label}
        </Button>
      )}
    </CopyButton>
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

interface SearchInputProps extends Omit<TextInputProps, "onChange"> {
  /** Accessible name, and the placeholder unless there is another. */
  label: string;
  onType(text: string): void;
}

export const SearchInput = ({ label, onType, ...more }: SearchInputProps) => (
  <TextInput
    type="search"
    aria-label={label}
    placeholder={label}
    leftSection={<IconSearch size={16} aria-hidden />}
    onChange={({ currentTarget: { value } }) => onType(value)}
    {...more}
  />
);

interface DataTableProps extends TableProps {
  minWidth: number;
  columns: readonly string[];
  /** Columns after the first one are numbers, aligned to the right. */
  isNumeric?: boolean;
}

/** A table that scrolls sideways in narrow windows, with one line of column names. */
export function DataTable({ minWidth, columns, isNumeric = false, children, ...table }: DataTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table {...table}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name, at) => (
              <Table.Th key={name} ta={isNumeric && at > 0 ? "right" : undefined}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
