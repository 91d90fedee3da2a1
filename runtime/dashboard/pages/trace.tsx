import { Alert, Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "../api/session";
import {
  disarmTrace,
  type TraceMatch,
  type TraceSummary,
  type Traces,
  traceQuery,
  tracesQuery,
} from "../api/trace";
import { traceRoute } from "../app/router";
import { numbered } from "./elements";
import { timeOfDay } from "./formats";
import { TraceForm } from "./trace-form";
import { TraceView } from "./trace-view";

const COLORS = { armed: "blue", done: "green", ended: "gray" } as const;

/** Traces of the next matching requests: armed here, recorded in all workers. */
export function TracePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isViewer = useSession()?.role === "viewer";
  const why = isViewer ? t("trace.viewer") : undefined;
  const { data: all } = useQuery({ ...tracesQuery, enabled: !isViewer });
  const { id: asked, unrouted = false } = traceRoute.useSearch();
  const id = asked ?? all?.[0]?.id ?? "";
  const { data, error } = useQuery({ ...traceQuery(id), enabled: !isViewer && id !== "", retry: false });
  const others = (all ?? []).filter((one) => one.id !== id);
  return (
    <Stack gap="lg">
      <Title order={1}>{t("page.trace")}</Title>
      {why === undefined ? null : <Alert color="gray">{why}</Alert>}
      <TraceForm
        why={why}
        isUnrouted={unrouted}
        onArmed={(armed) => void navigate({ to: "/trace", search: { id: armed }, replace: true })}
      />
      {error ? (
        <Alert color="yellow" role="alert">
          {error.message}
        </Alert>
      ) : null}
      {data ? <Caught told={data} /> : id === "" ? <Text c="dimmed">{t("trace.empty")}</Text> : null}
      {others.length > 0 ? <Others all={others} /> : null}
    </Stack>
  );
}

function Caught({ told }: { told: Traces }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" component="section" aria-label={t("trace.caught")}>
      <State told={told} />
      {told.traces.length === 0 && told.state === "ended" ? <Text>{t("trace.nothing")}</Text> : null}
      {numbered(told.traces).map(({ key, item }) => (
        <TraceView key={key} trace={item} isOpen={told.traces.length === 1} />
      ))}
    </Stack>
  );
}

function State({ told: { id, state, caught, count, armed_until, match } }: { told: Traces }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => disarmTrace(id),
    onSettled: () => client.invalidateQueries({ queryKey: tracesQuery.queryKey }),
  });
  const until = timeOfDay(armed_until, i18n.language);
  return (
    <Group gap="sm">
      <Badge color={COLORS[state]} variant="light">
        {t(`trace.state_${state}`)}
      </Badge>
      <Text role="status">
        {t("trace.progress", { caught, count })}
        {state === "armed" ? ` ${t("trace.until", { until })}` : null}
      </Text>
      <Text className="code wrapped">{said(match, t("trace.no_route")) || t("trace.any")}</Text>
      {state === "armed" ? (
        <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
          {t("trace.disarm")}
        </Button>
      ) : null}
    </Group>
  );
}

function Others({ all }: { all: readonly TraceSummary[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" component="section" aria-label={t("trace.others")}>
      <Title order={2}>{t("trace.others")}</Title>
      {all.map(({ id, state, caught, count, match }) => (
        <Group gap="sm" key={id}>
          <Badge color={COLORS[state]} variant="light">
            {t(`trace.state_${state}`)}
          </Badge>
          <Link to="/trace" search={{ id }} className="code">
            {said(match, t("trace.no_route")) || t("trace.any")}
          </Link>
          <Text c="dimmed">{t("trace.progress", { caught, count })}</Text>
        </Group>
      ))}
    </Stack>
  );
}

/** "POST, /orders/*" */
const said = ({ header = {}, unrouted, ...match }: TraceMatch, none: string): string =>
  [
    ...(unrouted === true ? [none] : []),
    ...Object.values(match),
    ...Object.entries(header).map(([name, value]) => `${name}: ${value}`),
  ].join(", ");
