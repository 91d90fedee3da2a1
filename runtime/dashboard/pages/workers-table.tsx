import { Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Now } from "../api/overview";
import { formatBytes } from "./figures";

const COLUMNS = ["worker", "pid", "generation", "connections", "requests", "memory", "lag"] as const;

export function WorkersTable({ now: { workers, workers_expected: expected, generation } }: { now: Now }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  return (
    <Stack gap="sm" id="workers">
      <Title order={2}>{t("workers.title")}</Title>
      <Text c="dimmed" size="sm">
        {t("workers.of", { count: workers.length, expected })}
      </Text>
      {/* A scrollable element must be reachable by the keyboard. */}
      <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label={t("workers.title")}>
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map((column) => (
                <Table.Th key={column} ta={column === "worker" ? undefined : "right"}>
                  {t(`workers.${column}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {workers.map((one) => (
              <Table.Tr key={one.worker}>
                <Table.Td>{one.worker}</Table.Td>
                <Table.Td ta="right">{one.pid}</Table.Td>
                <Table.Td ta="right">
                  {one.generation}
                  {one.generation < generation ? ` ${t("workers.behind")}` : null}
                </Table.Td>
                <Table.Td ta="right">{number(one.connections)}</Table.Td>
                <Table.Td ta="right">{number(one.requests)}</Table.Td>
                <Table.Td ta="right">
                  {one.memory_bytes === null ? "–" : formatBytes(one.memory_bytes, i18n.language)}
                </Table.Td>
                <Table.Td ta="right">
                  {one.loop_lag_ms === null ? "–" : t("overview.ms", { value: number(one.loop_lag_ms) })}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
