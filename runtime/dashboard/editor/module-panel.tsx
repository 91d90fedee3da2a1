import { Loader, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readModules } from "../api/effect";
import { ChangesPanel } from "./changes-panel";
import { type SentDraft, useRestedDraft } from "./rested-draft";
import { Unasked } from "./traffic-panel";

export function ModulePanel({ sent }: { sent: SentDraft }) {
  const { t } = useTranslation();
  const [of, setOf] = useState<string>();
  const { data, error, current } = useRestedDraft(["modules", of ?? ""], sent, (options) =>
    readModules(options, of),
  );
  if (error) return <Unasked error={error} />;
  if (data === undefined) return <Loader size="xs" role="img" aria-label={t("modules.generating")} />;
  if (data?.module == null)
    return (
      <Text size="sm" c="dimmed">
        {t(data === null ? "modules.long" : "modules.none")}
      </Text>
    );
  const { list, total, module } = data;
  return (
    <Stack gap="sm" aria-busy={!current}>
      {list.length > 1 ? (
        <Select
          label={t("modules.of")}
          description={t("modules.total", { count: total })}
          data={list}
          value={module.address}
          onChange={(next) => setOf(next ?? undefined)}
          searchable
          allowDeselect={false}
        />
      ) : (
        <Text size="sm" className="code">
          {module.address}
        </Text>
      )}
      {module.cut ? <Text size="sm">{t("modules.cut")}</Text> : null}
      <ChangesPanel before={module.before ?? ""} after={module.after ?? ""} />
    </Stack>
  );
}
