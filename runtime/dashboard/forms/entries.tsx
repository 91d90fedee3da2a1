import { ActionIcon, Button, Fieldset, Group, Stack, Text } from "@mantine/core";
import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from "@rjsf/utils";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { type MouseEvent, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Dimmed } from "../pages/elements";
import { RequiredMark } from "./templates";

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
      {description ? <Dimmed size="xs">{description}</Dimmed> : null}
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

const FIELDS = "input:not([type=hidden]), textarea, select, .cm-content";

export interface EntryFocus {
  ref: RefObject<HTMLDivElement | null>;
  onClickCapture(event: MouseEvent): void;
}

/**
 * Focuses a new entry. After a removal it focuses the button that removes the next entry, so that Enter
 * removes several; after the last one the button that adds. Changes from elsewhere move no focus.
 */
function useEntryFocus(count: number): EntryFocus {
  const ref = useRef<HTMLDivElement>(null);
  const pressed = useRef<number | undefined>(undefined);
  const before = useRef(count);
  useLayoutEffect(() => {
    const [was, at] = [before.current, pressed.current];
    before.current = count;
    if (was === count || at === undefined || ref.current === null) return;
    pressed.current = undefined;
    const entries = entriesOf(ref.current);
    const next = entries[Math.min(at, entries.length - 1)];
    if (count > was) entries.at(-1)?.querySelector<HTMLElement>(FIELDS)?.focus();
    else (next === undefined ? ownButton(ref.current) : removing(next))?.focus();
  }, [count]);
  function onClickCapture({ target }: MouseEvent) {
    const element = target as HTMLElement;
    if (ref.current === null || element.closest("[data-entries]") !== ref.current) return;
    const entry = element.closest<HTMLElement>("[data-entry]");
    pressed.current = entry === null ? -1 : entriesOf(ref.current).indexOf(entry);
  }
  return { ref, onClickCapture };
}

const isOf = (group: HTMLElement) => (element: Element) => element.closest("[data-entries]") === group;

const entriesOf = (group: HTMLElement): HTMLElement[] =>
  [...group.querySelectorAll<HTMLElement>("[data-entry]")].filter(isOf(group));

const ownButton = (group: HTMLElement): HTMLElement | undefined =>
  [...group.querySelectorAll<HTMLElement>("[data-add]")].find(isOf(group));

/** Button that removes an entry. Entries may contain lists of their own, whose buttons belong to inner entries. */
function removing(entry: HTMLElement): HTMLElement | undefined {
  const all = [...entry.querySelectorAll<HTMLElement>("[data-remove]")];
  return all.find((each) => each.closest("[data-entry]") === entry);
}

export function ListTemplate({
  title,
  schema,
  items,
  canAdd,
  readonly,
  required,
  fieldPathId,
  onAddClick,
}: ArrayFieldTemplateProps) {
  return (
    <EntriesGroup
      id={fieldPathId.$id}
      name={title}
      required={required === true}
      description={schema.description}
      disabled={false}
      onAdd={canAdd && readonly !== true ? onAddClick : undefined}
      count={items.length}
    >
      {items}
    </EntriesGroup>
  );
}

export function ListItemTemplate({
  children,
  index,
  hasToolbar,
  buttonsProps,
  readonly,
}: ArrayFieldItemTemplateProps) {
  const { t } = useTranslation();
  const name = t("form.item", { at: index + 1 });
  return (
    <Fieldset legend={name} p="md" data-entry>
      <Group align="flex-start" wrap="nowrap">
        <div style={{ flex: 1, minWidth: 0 }}>{children}</div>
        {hasToolbar && buttonsProps.hasRemove && readonly !== true ? (
          <ActionIcon
            data-remove
            variant="subtle"
            color="gray"
            aria-label={t("action.remove", { name })}
            onClick={buttonsProps.onRemoveItem}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        ) : null}
      </Group>
    </Fieldset>
  );
}
