import { Button, Card, Group, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../api/fetched-code";
import { type Figures, HOUR, type Series, SHOWN_SECONDS, type TimeRange } from "../api/overview";
import type { Line, Zoom } from "./chart";
import { Dimmed } from "./elements";
import { formatBytes, share, timeOfDay } from "./formats";

const Chart = lazyPart(async () => (await import("./chart")).Chart);

interface TrafficTilesProps {
  total: TimeRange;
  /** Seconds of the window with counts. */
  counted: number;
  /** The last second; undefined without a stream. */
  second: Figures | undefined;
  seconds: number;
  onSeconds: (seconds: number) => void;
}

/** Requests, errors, latency and bytes of a window: the last second in figures, the window as lines. */
export function TrafficTiles({ total, counted, second, seconds, onSeconds }: TrafficTilesProps) {
  const { t, i18n } = useTranslation();
  const [zoom, setZoom] = useState<Zoom>();
  const { series } = total;
  const times = useMemo(() => series.requests.map((_, at) => series.from + at * series.step), [series]);
  const end = series.from + series.requests.length * series.step;
  const since = end - counted;
  const common = { times, zoom, onZoom: setZoom };
  return (
    <Stack gap="sm">
      <Group gap="md">
        <SegmentedControl
          size="xs"
          aria-label={t("chart.stretch")}
          data={[
            { value: String(SHOWN_SECONDS), label: t("chart.minutes") },
            { value: String(HOUR), label: t("chart.hour") },
          ]}
          value={String(seconds)}
          onChange={(value) => {
            setZoom(undefined);
            onSeconds(Number(value));
          }}
        />
        <Dimmed>
          {counted < seconds
            ? t("overview.since", { time: timeOfDay(since * 1_000, i18n.language) })
            : t("chart.how")}
        </Dimmed>
        {/* Invisible until needed, so that nothing moves. */}
        <Button
          variant="default"
          size="compact-sm"
          style={zoom === undefined ? { visibility: "hidden" } : undefined}
          onClick={() => setZoom(undefined)}
        >
          {t("chart.whole")}
        </Button>
      </Group>
      <Tiles total={total} second={second} since={since} common={common} />
    </Stack>
  );
}

interface TilesProps extends Pick<TrafficTilesProps, "total" | "second"> {
  since: number;
  common: { times: readonly number[]; zoom: Zoom; onZoom: (zoom: Zoom) => void };
}

/** Formats values for figures and axes; null is unknown. */
function useFormats() {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const number = (value: number) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 }).format(
      value,
    );
  const known = (words: (value: number) => string) => (value: number | null) =>
    value === null ? "–" : words(value);
  const latency = known((value) => t("overview.ms", { value: number(value) }));
  const perSecond = known((value) => t("overview.per_second", { value: number(value) }));
  const size = known((value) => formatBytes(value, language));
  const bytes = known((value) => t("overview.per_second", { value: formatBytes(value, language) }));
  const part = (count: number | null, all: number | null) =>
    count === null || all === null ? "–" : share(count, all, language);
  return { latency, perSecond, size, bytes, part };
}

const UNTOLD = {
  ...{ requests: null, errors_4xx: null, errors_5xx: null, bytes_in: null, bytes_out: null },
  ...{ p50: null, p95: null, p99: null },
};

function Tiles({ total: { series }, second, since, common }: TilesProps) {
  const { t } = useTranslation();
  const { latency, perSecond, size, bytes, part } = useFormats();
  const shown = second ?? UNTOLD;
  const lines = useMemo(() => linesOf(series, since), [series, since]);
  const labelled = (names: readonly [keyof typeof lines, string][]): Line[] =>
    names.map(([name, label]) => ({ label, values: lines[name] }));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      <Tile title={t("overview.requests")} value={perSecond(shown.requests)}>
        <Chart {...common} lines={labelled([["requests", t("overview.requests")]])} format={perSecond} />
      </Tile>
      <Tile
        title={t("overview.errors")}
        value={part(shown.errors_5xx, shown.requests)}
        beside={t("overview.client_errors", { share: part(shown.errors_4xx, shown.requests) })}
      >
        <Chart
          {...common}
          lines={labelled([
            ["errors_5xx", "5xx"],
            ["errors_4xx", "4xx"],
          ])}
          format={perSecond}
        />
      </Tile>
      <Tile
        title={t("overview.p99")}
        value={latency(shown.p99)}
        beside={t("overview.percentiles", { p50: latency(shown.p50), p95: latency(shown.p95) })}
      >
        <Chart
          {...common}
          lines={labelled([
            ["p99", "p99"],
            ["p95", "p95"],
            ["p50", "p50"],
          ])}
          format={latency}
        />
      </Tile>
      <Tile
        title={t("overview.bandwidth")}
        value={bytes(shown.bytes_out)}
        beside={t("overview.from_clients", {
          value: size(shown.bytes_in),
        })}
      >
        <Chart
          {...common}
          lines={labelled([
            ["bytes_out", t("chart.out")],
            ["bytes_in", t("chart.in")],
          ])}
          format={bytes}
        />
      </Tile>
    </SimpleGrid>
  );
}

/** Rates per second; null before the start of the counts, because the rate is unknown, not 0. */
function linesOf(series: Series, since: number) {
  const { from, step } = series;
  const known = (at: number) => from + (at + 1) * step > since;
  const rate = (counts: readonly number[]) => counts.map((count, at) => (known(at) ? count / step : null));
  return {
    ...{
      requests: rate(series.requests),
      errors_4xx: rate(series.errors_4xx),
      errors_5xx: rate(series.errors_5xx),
    },
    ...{ bytes_in: rate(series.bytes_in), bytes_out: rate(series.bytes_out) },
    ...{ p50: series.p50, p95: series.p95, p99: series.p99 },
  };
}

function Tile(props: { title: string; value: string; beside?: string; children: React.ReactNode }) {
  const { t } = useTranslation();
  const { title, value, beside, children } = props;
  return (
    <Card withBorder padding="sm">
      <Dimmed>{title}</Dimmed>
      <Group gap="sm" align="baseline">
        <Text fz={20} fw={600}>
          {value}
        </Text>
        <Dimmed size="xs">{t("overview.now")}</Dimmed>
      </Group>
      {/* Same height without a text, so that the lines of all tiles are aligned. */}
      <Dimmed size="xs" mih={18}>
        {beside}
      </Dimmed>
      <Suspense fallback={<div className="chart" />}>{children}</Suspense>
    </Card>
  );
}
