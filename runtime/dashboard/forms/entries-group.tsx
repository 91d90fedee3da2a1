import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useEntryFocus } from "./entry-focus";
import { RequiredMark } from "./required-mark";

export interface EntriesGroupProps {
  id: string;
  name: string;
  description: string | undefined;
  required: boolean;
  problem?: string | undefined;
  /** Undefined if no entry can be added. */
  onAdd: (() => void) | undefined;
  /** Adding is disabled temporarily. */
  disabled: boolean;
  /** Number of entries, each below an element with `data-entry`. */
  count: number;
  children: ReactNode;
}

export function EntriesGroup(props: EntriesGroupProps) {
  const { id, name, description, required, problem, onAdd, disabled, count, children } = props;
  const { t } = useTranslation();
  const { ref, onClickCapture } = useEntryFocus(count);
  return (
    <Stack {...{ ref, id, onClickCapture }} gap={4} role="group" aria-label={name} tabIndex={-1} data-entries>
      <Text size="sm" fw={600}>
        {name}
        {required ? <RequiredMark /> : null}
      </Text>
      {description ? (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      ) : null}
      {children}
      {problem === undefined ? null : (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      {onAdd ? (
        <Group>
          <Button
            data-add
            size="compact-sm"
            variant="default"
            disabled={disabled}
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={onAdd}
          >
            {t("form.add_to", { name })}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}
