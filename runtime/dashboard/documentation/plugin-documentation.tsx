import { Code, Stack, Table, Text, Title } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../api/answers.gen";
import { callAdmin } from "../api/client";
import { pluginsQuery } from "../api/resources";
import { resolved, type Schema } from "../forms/schema";
import { DataTable, Dimmed, Pending } from "../pages/elements";
import { Markdown } from "./markdown";

export interface PluginDocumentationProps {
  name: string;
  onOpen(name: string): void;
}

/** "../syslog/README.md", "../captcha/". */
const OF_PLUGIN = /^(?:\.\.\/|(?:\.\.\/){2}plugins\/)([a-z0-9-]+)(?:\/(?:README\.md)?)?(?:#.*)?$/;

/** Documentation of a plugin: its README, and a table of its settings if the README has none. */
export function PluginDocumentation({ name, onOpen }: PluginDocumentationProps) {
  const { t } = useTranslation();
  const query = useQuery(readmeQuery(name));
  const { data: readme } = query;
  const { data: plugins = {} } = useQuery(pluginsQuery);
  const schema = plugins[name]?.schema as Schema | undefined;
  if (readme === undefined) return <Pending query={query} h={240} />;
  const hasTable = readme?.includes(`<!-- attributes of ${name} -->`) ?? false;
  function onFile(target: string) {
    const other = OF_PLUGIN.exec(target)?.[1];
    return other !== undefined && Object.hasOwn(plugins, other) ? () => onOpen(other) : undefined;
  }
  return (
    <div className="documentation">
      {readme === null ? (
        <Stack gap="xs">
          <Text>{schema?.description}</Text>
          <Dimmed>{t("documentation.none")}</Dimmed>
        </Stack>
      ) : (
        <Markdown text={readme} id={`documentation-${name}`} onFile={onFile} />
      )}
      {hasTable || schema === undefined ? null : (
        <>
          <Title order={3}>{t("documentation.settings")}</Title>
          <SettingsTable schema={schema} />
        </>
      )}
    </div>
  );
}

/** README of a plugin as Markdown; null if it has none. It does not change while the gateway runs. */
export const readmeQuery = (plugin: string) =>
  queryOptions({
    queryKey: ["readme", plugin],
    queryFn: async ({ signal }) => {
      const path = `plugins/${encodeURIComponent(plugin)}/readme`;
      return (await callAdmin<Answers["readPluginReadme"]>(path, { signal })).body.readme;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

interface Setting {
  /** "filters[].regex". */
  path: string;
  type: string;
  required: boolean;
  default: unknown;
  says: string;
}

const DEEPEST = 4;

function settingsOf(schema: Schema, root: Schema, above = "", depth = 0): Setting[] {
  const { properties = {}, required = [] } = resolved(schema, root) ?? {};
  return Object.entries(properties).flatMap(([name, field]) => {
    const known = resolved(field, root) ?? field;
    const items = resolved(known.items, root);
    const path = above + name;
    const own: Setting = {
      path,
      type: [known.type ?? "any"].flat().join(" | "),
      required: required.includes(name),
      default: known.default,
      says: known.description ?? "",
    };
    if (depth >= DEEPEST) return [own];
    const below = items?.properties === undefined ? `${path}.` : `${path}[].`;
    return [own, ...settingsOf(items?.properties === undefined ? known : items, root, below, depth + 1)];
  });
}

export function SettingsTable({ schema }: { schema: Schema }) {
  const { t } = useTranslation();
  const settings = settingsOf(schema, schema);
  if (settings.length === 0) return null;
  return (
    <DataTable
      minWidth={420}
      className="wrapped"
      columns={(["attribute", "type", "required", "default", "meaning"] as const).map((column) =>
        t(`documentation.${column}`),
      )}
    >
      {settings.map(({ path, type, required, default: value, says }) => (
        <Table.Tr key={path}>
          <Table.Td>
            <Code>{path}</Code>
          </Table.Td>
          <Table.Td>{type}</Table.Td>
          <Table.Td>{t(required ? "documentation.yes" : "documentation.no")}</Table.Td>
          <Table.Td>{value === undefined ? null : <Code>{JSON.stringify(value)}</Code>}</Table.Td>
          <Table.Td>{says}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
