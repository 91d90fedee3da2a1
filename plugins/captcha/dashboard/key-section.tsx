import { Button, Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, Dimmed, type Resource } from "../../../runtime/dashboard/plugin-kit";

interface KeySectionProps {
  kind: "site_key" | "api_key";
  customer: string;
  columns: readonly string[];
  /** Reason why nobody can add a key. */
  refusal: string | undefined;
  onAdd(): void;
  rows: readonly ReactNode[];
  /** Dialog that adds a key. */
  children: ReactNode;
}

/** Keys of one kind that a customer has. */
export function KeySection({ kind, customer, columns, refusal, onAdd, rows, children }: KeySectionProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>{t(`captcha.${kind}s`)}</Title>
        <Button
          size="xs"
          variant="default"
          disabled={refusal !== undefined}
          title={refusal}
          aria-label={t(`captcha.add_${kind}_of`, { customer })}
          onClick={onAdd}
        >
          {t(`captcha.add_${kind}`)}
        </Button>
      </Group>
      {rows.length === 0 ? (
        <Dimmed>{t(`captcha.no_${kind}`)}</Dimmed>
      ) : (
        <DataTable
          minWidth={640}
          aria-label={t(`captcha.${kind}s_of`, { customer })}
          columns={columns.map((column) => t(`captcha.${column}`))}
        >
          {rows}
        </DataTable>
      )}
      {children}
    </Stack>
  );
}

/** Shows nothing for a resource from the store. */
export function Origin({ resource }: { resource: Resource }) {
  const { t } = useTranslation();
  return resource.static === undefined ? null : (
    <Dimmed size="xs">{t("captcha.set_in", { place: resource.static })}</Dimmed>
  );
}
