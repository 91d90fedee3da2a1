import { Modal, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pluginsQuery } from "../api/resources";
import { DocumentationButton } from "../documentation/documentation-drawer";
import type { Schema } from "../forms/schema";
import { Dimmed } from "../pages/elements";

export interface PluginPickerProps {
  opened: boolean;
  taken: ReadonlySet<string>;
  documented: string | undefined;
  onDocument(name: string): void;
  onClose(): void;
  onPick(name: string): void;
}

/** Description of a plugin, and its searchable words: those of tasks, and its fields. */
function wordsOf(schema: Schema): { says: string; all: string } {
  const { description = "", properties = {} } = schema;
  const keywords = (schema["x-keywords"] ?? []) as string[];
  return { says: description, all: [description, ...keywords, ...Object.keys(properties)].join(" ") };
}

function useFound(query: string, taken: ReadonlySet<string>) {
  const { data = {} } = useQuery(pluginsQuery);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return Object.entries(data)
    .filter(([name]) => !taken.has(name))
    .map(([name, { priority, cost, schema }]) => ({ name, priority, cost, ...wordsOf(schema as Schema) }))
    .filter(({ all, name }) => words.every((word) => `${name} ${all}`.toLowerCase().includes(word)))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Plugins with a sentence each; Enter selects the first match. */
export function PluginPicker(props: PluginPickerProps) {
  const { opened, taken, documented, onDocument, onClose, onPick } = props;
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const found = useFound(query, taken);
  function pick(name: string) {
    setQuery("");
    onPick(name);
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnEscape={documented === undefined}
      title={t("plugin.pick")}
      size="lg"
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <Stack gap="sm">
        <TextInput
          data-autofocus
          aria-label={t("plugin.search")}
          placeholder={t("plugin.search")}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = found[0];
            if (event.key === "Enter" && first) pick(first.name);
          }}
        />
        <Stack gap={4} component="ul" style={{ listStyle: "none", margin: 0, padding: 0 }}>
          {found.length === 0 && query.trim() !== "" ? (
            <Text component="li" size="sm" c="dimmed" className="message">
              {t("plugin.nothing")}
            </Text>
          ) : null}
          {found.map(({ name, says, priority, cost }) => (
            <li key={name} className="plugin-choice">
              <UnstyledButton className="plugin-row plugin-card" onClick={() => pick(name)}>
                <div>
                  <Text fw={600}>{name}</Text>
                  <Text size="sm">{says}</Text>
                </div>
                <Dimmed size="xs" ml="auto" w={{ base: 110, sm: 170 }} flex="none">
                  {t(`plugin.cost_${cost}`)}
                  <br />
                  {t("plugin.priority", { priority })}
                </Dimmed>
              </UnstyledButton>
              <DocumentationButton name={name} onOpen={onDocument} />
            </li>
          ))}
        </Stack>
      </Stack>
    </Modal>
  );
}
