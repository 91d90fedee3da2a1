import { ActionIcon, Fieldset, Group } from "@mantine/core";
import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from "@rjsf/utils";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { EntriesGroup } from "./entries-group";

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
