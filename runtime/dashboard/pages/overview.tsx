import { Badge, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { laterPart } from "../api/fetched-code";
import {
  type Figures,
  type OverviewAnswer,
  overviewQuery,
  type Series,
  type Stretch,
  useLiveOverview,
} from "../api/overview";
import { useAwaySince } from "../api/reach";
import { totalQuery } from "../api/resources";
import { AttentionList } from "./attention-list";
import { LoadFailed } from "./failed";
import { share, WIDEST, withUnit } from "./figures";
import { HeldNow } from "./held-now";
import { Ranking } from "./ranking";

const Sparkline = laterPart(async () => (await import("./sparkline")).Sparkline);

/** How the gateway does: what comes through it, what needs somebody, which routes and upstreams have changed most. */
export function Overview() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(overviewQuery);
  const routes = useQuery(totalQuery("routes"));
  const { second, now = data?.now, attention = data?.attention } = useLiveOverview();
  const isAway = useAwaySince() !== undefined;
  return (
    <Stack gap="lg" maw={WIDEST}>
      <Group justify="space-between">
        <Title order={1}>{t("page.overview")}</Title>
        {now ? (
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
        ) : null}
      </Group>
      {routes.data === 0 ? <FirstRoute /> : null}
      {error && !data ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <Tiles total={data.total} second={isAway ? undefined : second} />
      ) : error ? null : (
        <Skeleton h={110} aria-busy />
      )}
      {attention && now ? <AttentionList attention={attention} findings={now.findings} /> : null}
      {now ? <HeldNow now={now} /> : null}
      {data ? <Busiest answer={data} /> : null}
    </Stack>
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

function Tiles({ total, second }: { total: Stretch; second: Figures | undefined }) {
  const { t, i18n } = useTranslation();
  const { series } = total;
  const shown = second ?? { ...total, requests: 0, errors_4xx: 0, errors_5xx: 0, bytes_in: 0, bytes_out: 0 };
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  const latency = (ms: number | null) => (ms === null ? "–" : t("overview.ms", { value: number(ms) }));
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Tile
        title={t("overview.requests")}
        value={t("overview.per_second", { value: number(shown.requests) })}
        series={series}
        values={series.requests}
      />
      <Tile
        title={t("overview.errors")}
        value={share(shown.errors_5xx, shown.requests, i18n.language)}
        beside={t("overview.client_errors", {
          share: share(shown.errors_4xx, shown.requests, i18n.language),
        })}
        series={series}
        values={series.errors_5xx}
      />
      <Tile
        title={t("overview.p99")}
        value={latency(shown.p99)}
        beside={t("overview.percentiles", { p50: latency(shown.p50), p95: latency(shown.p95) })}
        series={series}
        values={series.p99}
      />
      <Tile
        title={t("overview.bandwidth")}
        value={t("overview.per_second", { value: withUnit(shown.bytes_out, i18n.language) })}
        beside={t("overview.from_clients", { value: withUnit(shown.bytes_in, i18n.language) })}
        series={series}
        values={series.bytes_out}
      />
    </SimpleGrid>
  );
}

interface TileProps {
  title: string;
  value: string;
  /** What stands beside the value, and is not what the line shows. */
  beside?: string;
  series: Series;
  values: (number | null)[];
}

function Tile({ title, value, beside, series, values }: TileProps) {
  const { t } = useTranslation();
  const { from, step } = series;
  const times = useMemo(() => values.map((_, at) => from + at * step), [values, from, step]);
  return (
    <Card withBorder padding="md">
      <Text c="dimmed" size="sm">
        {title}
      </Text>
      <Text fz={20} fw={600}>
        {value}
      </Text>
      {/* As tall where nothing stands beside the value, so that the lines of all tiles are level. */}
      <Text size="xs" c="dimmed" mih={18}>
        {beside}
      </Text>
      <Suspense fallback={<div style={{ height: 40 }} />}>
        <Sparkline times={times} values={values} />
      </Suspense>
      <Text c="dimmed" size="xs">
        {t("overview.now")}
      </Text>
    </Card>
  );
}

function Busiest({ answer: { routes, upstreams, counted_seconds: seconds } }: { answer: OverviewAnswer }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Ranking title={t("page.routes")} kind="routes" items={routes} seconds={seconds} />
      <Ranking title={t("page.upstreams")} kind="upstreams" items={upstreams} seconds={seconds} />
    </SimpleGrid>
  );
}
