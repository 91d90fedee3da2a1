import { Group, Loader, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { moduleQuery } from "../api/module";
import { isKind } from "../api/resources";
import type { ExecutedPlugin } from "../api/which-route";
import { AnchorLink } from "../app/links";
import { Dimmed, numbered } from "../pages/elements";
import { Unasked } from "./traffic-panel";

/** A route as it runs now: its conditions, then all its plugins in order, each with the resource that sets it. */
export function PipelinePanel({ id }: { id: string }) {
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
  const [, kind = "", id = ""] = /^([a-z_]+)\/(\S+)/.exec(address) ?? [];
  if (!isKind(kind)) return <Text size="sm">{text}</Text>;
  return (
    <AnchorLink size="sm" title={`${kind}/${id}`} to="/$kind/$id" params={{ kind, id }}>
      {text}
    </AnchorLink>
  );
}
