import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readmeQuery } from "../api/readme";
import { pluginsQuery } from "../api/resources";
import type { Schema } from "../forms/schema";
import { LoadFailed } from "../pages/failed";
import { Markdown } from "./markdown";
import { SettingsTable } from "./settings-table";

export interface PluginDocumentationProps {
  name: string;
  onOpen(name: string): void;
}

/** "../syslog/README.md", "../captcha/". */
const OF_PLUGIN = /^(?:\.\.\/|(?:\.\.\/){2}plugins\/)([a-z0-9-]+)(?:\/(?:README\.md)?)?(?:#.*)?$/;

/** Documentation of a plugin: its README, and a table of its settings if the README has none. */
export function PluginDocumentation({ name, onOpen }: PluginDocumentationProps) {
  const { t } = useTranslation();
  const { data: readme, error, refetch } = useQuery(readmeQuery(name));
  const { data: plugins = {} } = useQuery(pluginsQuery);
  const schema = plugins[name]?.schema as Schema | undefined;
  if (error && readme === undefined) return <LoadFailed error={error} retry={() => void refetch()} />;
  if (readme === undefined) return <Skeleton h={240} aria-busy />;
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
          <Text size="sm" c="dimmed">
            {t("documentation.none")}
          </Text>
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
