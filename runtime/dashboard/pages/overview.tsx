import { Badge, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAwaySince } from "../api/client";
import {
  HOUR,
  type Now,
  type OverviewAnswer,
  overviewQuery,
  type Second,
  SHOWN_SECONDS,
  useLiveOverview,
} from "../api/overview";
import { totalQuery } from "../api/resources";
import { AnchorLink, ButtonLink } from "../app/links";
import { overviewRoute } from "../app/router";
import { AttentionList } from "./attention-list";
import { DataTable, Dimmed, Pending, WIDEST } from "./elements";
import { duration, formatBytes } from "./formats";
import { Ranking } from "./ranking";
import { TrafficTiles } from "./traffic-tiles";

/** Lists the routes and upstreams with the largest changes. */
export function Overview() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const seconds = overviewRoute.useSearch().range === "hour" ? HOUR : SHOWN_SECONDS;
  const query = useQuery(overviewQuery({ seconds }));
  const { data } = query;
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
      <Pending query={query} h={300} />
      {/* Before the charts, which are three screens high on a phone: a user who follows an alert needs this first. */}
      {data ? <AttentionList attention={data.attention} findings={data.now.findings} /> : null}
      {data ? (
        <TrafficTiles
          total={data.total}
          counted={data.counted_seconds}
          {...{ second, seconds }}
          onSeconds={choose}
        />
      ) : null}
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
      <Dimmed>
        {t("overview.runs", {
          generation: now.generation,
          workers: now.workers.length,
          expected: now.workers_expected,
        })}
      </Dimmed>
    </Group>
  );
}

function FirstRoute() {
  const { t } = useTranslation();
  return (
    <Group>
      <Text>{t("empty.routes")}</Text>
      <ButtonLink to="/new/$kind" params={{ kind: "routes" }}>
        {t("overview.first")}
      </ButtonLink>
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

export function CurrentState({ now: { store, spool, logs, services } }: { now: Now }) {
  const { t, i18n } = useTranslation();
  const bytes = (value: number) => formatBytes(value, i18n.language);
  const most = spool.max_bytes === null ? "" : ` / ${bytes(spool.max_bytes)}`;
  const age = spool.bytes === 0 ? "" : `, ${duration(spool.oldest_seconds, i18n.language)}`;
  return (
    <Group gap="xl" component="dl" m={0}>
      <Held name={t("overview.store")}>{bytes(store.bytes)}</Held>
      <Held name={<To to="/history">{t("page.history")}</To>}>
        {t("overview.changes", { count: store.history.entries })}
      </Held>
      <Held name={<To to="/logs">{t("overview.queues")}</To>}>
        {t("overview.entries", { count: logs.pending_entries })}
      </Held>
      <Held name={<To to="/logs">{t("overview.spools")}</To>}>{`${bytes(spool.bytes)}${most}${age}`}</Held>
      {Object.entries(services).map(([name, service]) => (
        <Held key={name} name={name}>
          <Text
            span
            size="sm"
            c={service["up"] === true ? undefined : "var(--mantine-color-red-light-color)"}
          >
            {t(service["up"] === true ? "overview.serves" : "overview.serves_not")}
          </Text>
        </Held>
      ))}
    </Group>
  );
}

function Held({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  );
}

const To = ({ to, children }: { to: "/history" | "/logs"; children: ReactNode }) => (
  <AnchorLink inherit to={to}>
    {children}
  </AnchorLink>
);

const COLUMNS = ["worker", "pid", "generation", "connections", "requests", "memory", "lag"] as const;

export function WorkersTable({ now: { workers, workers_expected: expected, generation } }: { now: Now }) {
  const { t, i18n } = useTranslation();
  const number = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 }).format(value);
  return (
    <Stack gap="sm" id="workers">
      <Title order={2}>{t("workers.title")}</Title>
      <Dimmed>{t("workers.of", { count: workers.length, expected })}</Dimmed>
      <DataTable
        isNumeric
        minWidth={560}
        aria-label={t("workers.title")}
        columns={COLUMNS.map((column) => t(`workers.${column}`))}
      >
        {workers.map((one) => (
          <Table.Tr key={one.worker}>
            <Table.Td>{one.worker}</Table.Td>
            <Table.Td ta="right">{one.pid}</Table.Td>
            <Table.Td ta="right">
              {one.generation}
              {one.generation < generation ? ` ${t("workers.behind")}` : null}
            </Table.Td>
            <Table.Td ta="right">{number(one.connections)}</Table.Td>
            <Table.Td ta="right">{number(one.requests)}</Table.Td>
            <Table.Td ta="right">
              {one.memory_bytes === null ? "–" : formatBytes(one.memory_bytes, i18n.language)}
            </Table.Td>
            <Table.Td ta="right">
              {one.loop_lag_ms === null ? "–" : t("overview.ms", { value: number(one.loop_lag_ms) })}
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </Stack>
  );
}
