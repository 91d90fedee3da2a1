import { Group, Loader, Select, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { moduleQuery } from "../api/module";
import { type Kind, resourceNamed, type Value } from "../api/resources";
import type { ExecutedPlugin } from "../api/which-route";
import { AnchorLink } from "../app/links";
import type { FieldSteps } from "../forms/unreadable-fields";
import { Dimmed, numbered } from "../pages/elements";
import { ChangesPanel } from "./changes-panel";
import { DiagnosticsPanel } from "./diagnostics-panel";
import { type Draft, isWhole, NO_FIELDS, textOf } from "./draft";
import { type Checked, readModules, type SentDraft, useRestedDraft } from "./draft-queries";
import { fixedDraft } from "./fixes";
import { TrafficPanel, Unasked } from "./traffic-panel";
import { UnreadableAlerts } from "./unreadable";

export interface EffectTabsProps {
  kind: Kind;
  draft: Draft;
  /** Saved value; absent for a new resource. */
  saved: Value | undefined;
  checked: Checked;
  sent: SentDraft;
  readOnly: boolean;
  /** The user has entered something, or the resource exists. */
  begun: boolean;
  onChange(draft: Draft): void;
  onGo(path: FieldSteps): void;
}

/** Effects of a draft before it is saved; only the open tab requests its data. */
export function EffectTabs(props: EffectTabsProps) {
  const { kind, draft, saved, checked, sent, readOnly, begun } = props;
  const { t } = useTranslation();
  const unread = (draft.unreadable ?? NO_FIELDS).length;
  const count = checked.findings.length + unread;
  const route = kind === "routes" && saved !== undefined ? sent.id : undefined;
  const isChanged = saved === undefined || textOf(saved, "json") !== textOf(draft.value, "json");
  const canBeAsked = begun && !readOnly && isWhole(draft) && isChanged;
  return (
    <Tabs defaultValue="findings" keepMounted={false} className="beside">
      <Tabs.List>
        <Tabs.Tab value="findings">
          {count === 0 ? t("findings.title") : t("findings.title_count", { count })}
        </Tabs.Tab>
        <Tabs.Tab value="changes">{t("changes.title")}</Tabs.Tab>
        <Tabs.Tab value="traffic">{t("traffic.title")}</Tabs.Tab>
        <Tabs.Tab value="module">{t("modules.title")}</Tabs.Tab>
        {route === undefined ? null : <Tabs.Tab value="pipeline">{t("pipeline.title")}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="findings" pt="md">
        <Findings {...props} />
      </Tabs.Panel>
      <Tabs.Panel value="changes" pt="md">
        <ChangesPanel
          before={saved === undefined ? "" : textOf(saved, "yaml")}
          after={textOf(draft.value, "yaml")}
        />
      </Tabs.Panel>
      <Tabs.Panel value="traffic" pt="md">
        {canBeAsked ? <TrafficPanel sent={sent} /> : <Unchanged draft={draft} />}
      </Tabs.Panel>
      <Tabs.Panel value="module" pt="md">
        {canBeAsked ? <ModulePanel sent={sent} /> : <Unchanged draft={draft} />}
      </Tabs.Panel>
      {route === undefined ? null : (
        <Tabs.Panel value="pipeline" pt="md">
          <PipelinePanel id={route} />
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

function Findings({ draft, checked, readOnly, begun, onChange, onGo }: EffectTabsProps) {
  const { t } = useTranslation();
  const isRead = (draft.unreadable ?? NO_FIELDS).length === 0;
  const isSaid = checked.findings.length > 0 || checked.refusal !== undefined;
  return (
    <Stack gap="sm">
      <UnreadableAlerts draft={draft} onChange={onChange} onGo={onGo} />
      {begun ? null : <Dimmed>{t("findings.begin")}</Dimmed>}
      {begun && (isRead || isSaid) ? (
        <DiagnosticsPanel
          {...checked}
          onGo={onGo}
          onFix={readOnly ? undefined : (fix) => onChange(fixedDraft(draft, fix))}
        />
      ) : null}
    </Stack>
  );
}

function Unchanged({ draft }: { draft: Draft }) {
  const { t } = useTranslation();
  return <Dimmed>{t(isWhole(draft) ? "changes.none" : "traffic.unreadable")}</Dimmed>;
}

function ModulePanel({ sent }: { sent: SentDraft }) {
  const { t } = useTranslation();
  const [of, setOf] = useState<string>();
  const { data, error, current } = useRestedDraft(["modules", of ?? ""], sent, (options) =>
    readModules(options, of),
  );
  if (error) return <Unasked error={error} />;
  if (data === undefined) return <Loader size="xs" role="img" aria-label={t("modules.generating")} />;
  if (data?.module == null) return <Dimmed>{t(data === null ? "modules.long" : "modules.none")}</Dimmed>;
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

/** A route as it runs now: its conditions, then all its plugins in order, each with the resource that sets it. */
function PipelinePanel({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery(moduleQuery("routes", id));
  if (error instanceof AdminError && error.status === 404) return <Dimmed>{t("pipeline.none")}</Dimmed>;
  if (error && !data) return <Unasked error={error} />;
  if (!data) return <Loader size="xs" role="img" aria-label={t("pipeline.title")} />;
  return (
    <Stack gap="sm">
      <div>
        {numbered(data.route?.takes ?? []).map(({ key, item }) => (
          <Text key={key} size="sm">
            {item}
          </Text>
        ))}
      </div>
      {data.plugins.length === 0 ? (
        <Dimmed>{t("pipeline.empty")}</Dimmed>
      ) : (
        <ol className="pipeline" aria-label={t("pipeline.title")}>
          {numbered(data.plugins).map(({ key, item }) => (
            <li key={key} data-from={item.from} data-off={item.disabled || undefined}>
              <PipelineStep plugin={item} />
            </li>
          ))}
        </ol>
      )}
    </Stack>
  );
}

function PipelineStep({
  plugin: { name, from, address, place, phases, disabled, hides, decisions },
}: {
  plugin: ExecutedPlugin;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Group gap="xs">
        <Text fw={600} span>
          {name}
        </Text>
        <Owner address={address} text={t(`told.from_${from}`)} />
        {place === "store" ? null : (
          <Dimmed size="xs" className="code wrapped">
            {place}
          </Dimmed>
        )}
      </Group>
      <Dimmed size="xs">
        {disabled ? t("plugin.disabled") : phases.map((phase) => t(`phase.${phase}`)).join(", ")}
      </Dimmed>
      {decisions.map((decision) => (
        <Text key={decision} size="xs" className="wrapped">
          {decision}
        </Text>
      ))}
      {hides.map((hidden) => (
        <Dimmed key={hidden} size="xs" className="wrapped">
          {t("pipeline.hides", { where: hidden.split(" ", 1)[0] })}
        </Dimmed>
      ))}
    </>
  );
}

/** @param address "services/shop plugins.key-auth" */
function Owner({ address, text }: { address: string; text: string }) {
  const found = resourceNamed(address);
  if (found === undefined) return <Text size="sm">{text}</Text>;
  return (
    <AnchorLink size="sm" title={`${found.kind}/${found.id}`} to="/$kind/$id" params={found}>
      {text}
    </AnchorLink>
  );
}
