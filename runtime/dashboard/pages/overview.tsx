import { Badge, Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import {
  HOUR,
  type OverviewAnswer,
  overviewQuery,
  type Second,
  SHOWN_SECONDS,
  useLiveOverview,
} from "../api/overview";
import { useAwaySince } from "../api/reach";
import { totalQuery } from "../api/resources";
import { overviewRoute } from "../app/router";
import { AttentionList } from "./attention-list";
import { CurrentState } from "./current-state";
import { LoadFailed } from "./failed";
import { WIDEST } from "./figures";
import { Ranking } from "./ranking";
import { TrafficTiles } from "./traffic-tiles";
import { WorkersTable } from "./workers-table";

/** Lists the routes and upstreams with the largest changes. */
export function Overview() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const seconds = overviewRoute.useSearch().range === "hour" ? HOUR : SHOWN_SECONDS;
  const { data, error, refetch } = useQuery(overviewQuery({ seconds }));
  const routes = useQuery(totalQuery("routes"));
  const last = useLiveOverview({ seconds });
  const isAway = useAwaySince() !== undefined;
  const second = isAway ? undefined : last;
  const choose = (chosen: number) =>
    void navigate({ to: "/", search: chosen === HOUR ? { range: "hour" } : {}, replace: true });
  return (
    <Stack gap="lg" maw={WIDEST}>
      <Group justify="space-between">
        <Title order={1}>{t("page.overview")}</Title>
        {data ? <HowItIs now={data.now} isAway={isAway} /> : null}
      </Group>
      {routes.data === 0 ? <FirstRoute /> : null}
      {error && !data ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
      {/* Before the charts, which are three screens high on a phone: a user who follows an alert needs this first. */}
      {data ? <AttentionList attention={data.attention} findings={data.now.findings} /> : null}
      {data ? (
        <TrafficTiles
          total={data.total}
          counted={data.counted_seconds}
          {...{ second, seconds }}
          onSeconds={choose}
        />
      ) : error ? null : (
        <Skeleton h={300} aria-busy />
      )}
      {data ? <CurrentState now={data.now} /> : null}
      {data ? <Busiest answer={data} second={second} /> : null}
      {data ? <WorkersTable now={data.now} /> : null}
    </Stack>
  );
}

function HowItIs({ now, isAway }: { now: OverviewAnswer["now"]; isAway: boolean }) {
  const { t } = useTranslation();
  return (
    <Group gap="sm">
      <Badge variant="light" color={isAway ? "gray" : now.ready ? "green" : "red"}>
        {t(isAway ? "overview.unknown" : now.ready ? "overview.ready" : "overview.not_ready")}
      </Badge>
      <Text c="dimmed" size="sm">
        {t("overview.runs", {
          generation: now.generation,
          workers: now.workers.length,
          expected: now.workers_expected,
        })}
      </Text>
    </Group>
  );
}

function FirstRoute() {
  const { t } = useTranslation();
  return (
    <Group>
      <Text>{t("empty.routes")}</Text>
      <Button renderRoot={(props) => <Link to="/new/$kind" params={{ kind: "routes" }} {...props} />}>
        {t("overview.first")}
      </Button>
    </Group>
  );
}

function Busiest({ answer, second }: { answer: OverviewAnswer; second: Second | undefined }) {
  const { t } = useTranslation();
  const { routes, upstreams, total, unrouted, seconds, counted_seconds: counted } = answer;
  const common = { seconds, counted, all: total.requests };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Ranking
        title={t("page.routes")}
        kind="routes"
        items={routes}
        second={second?.routes}
        unrouted={{ requests: unrouted.requests, now: second?.unrouted }}
        {...common}
      />
      <Ranking
        title={t("page.upstreams")}
        kind="upstreams"
        items={upstreams}
        second={second?.upstreams}
        {...common}
      />
    </SimpleGrid>
  );
}
