import { Anchor, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Kind, pluginsQuery } from "../api/resources";
import { useSearchText } from "../app/address-soon";
import { AnchorLink } from "../app/links";
import { type PluginsSearch, pluginsRoute } from "../app/router";
import { DocumentationDrawer } from "../documentation/documentation-drawer";
import type { Schema } from "../forms/schema";
import { Pending, SearchInput } from "./elements";

export function Plugins() {
  const { t } = useTranslation();
  const plugins = useQuery(pluginsQuery);
  const navigate = useNavigate();
  const { documentation, q = "" } = pluginsRoute.useSearch();
  const show = (of?: string) =>
    void navigate({ to: "/plugins", search: (now) => ({ ...now, documentation: of }), replace: true });
  const [query, setQuery] = useSearchText(q, (text) => {
    const search = (now: PluginsSearch) => ({ ...now, q: text || undefined });
    void navigate({ to: "/plugins", search, replace: true });
  });
  const rows = Object.entries(plugins.data ?? {})
    .map(([name, { priority, schema, metadata_schema }]) => ({
      name,
      priority,
      says: (schema as Schema).description ?? "",
      metadata: metadata_schema !== undefined,
    }))
    .filter(({ name, says }) => `${name} ${says}`.toLowerCase().includes(query.toLowerCase()))
    .sort((a, b) => b.priority - a.priority);
  return (
    <Stack gap="md">
      <Title order={1}>{t("page.plugins")}</Title>
      <SearchInput label={t("plugin.search")} value={query} onType={setQuery} />
      <Pending query={plugins} h={320} />
      <Table>
        <Table.Tbody>
          {rows.map(({ name, says, priority, metadata }) => (
            <PluginRow key={name} {...{ name, says, priority, metadata }} onDocument={show} />
          ))}
        </Table.Tbody>
      </Table>
      <DocumentationDrawer name={documentation} side="right" onOpen={show} onClose={() => show()} />
    </Stack>
  );
}

interface PluginRowProps {
  name: string;
  says: string;
  priority: number;
  metadata: boolean;
  onDocument(name: string): void;
}

function PluginRow({ name, says, priority, metadata, onDocument }: PluginRowProps) {
  const { t } = useTranslation();
  const leads = (kind: Kind, q: string) => (
    <AnchorLink to="/$kind" params={{ kind }} search={{ q }}>
      {t(kind === "routes" ? "page.routes" : "plugin.metadata")}
    </AnchorLink>
  );
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={600}>{name}</Text>
        <Text size="sm">{says}</Text>
      </Table.Td>
      <Table.Td c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {t("plugin.priority", { priority })}
      </Table.Td>
      <Table.Td>
        <Group gap="md">
          <Anchor
            component="button"
            type="button"
            aria-label={t("documentation.of", { name })}
            onClick={() => onDocument(name)}
          >
            {t("documentation.open")}
          </Anchor>
          {leads("routes", `plugin:${name}`)}
          {metadata ? leads("plugin_metadata", name) : null}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
