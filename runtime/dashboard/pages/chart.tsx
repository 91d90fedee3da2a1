import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { hourAndMinute, timeOfDay } from "./formats";

export interface Line {
  label: string;
  values: readonly (number | null)[];
}

/** Range in seconds since the epoch; undefined for all data. */
export type Zoom = readonly [from: number, to: number] | undefined;

export interface ChartProps {
  /** Seconds since the epoch. */
  times: readonly number[];
  /** The first line is the subject of the chart. */
  lines: readonly Line[];
  /** Formats a value, short enough for an axis. */
  format: (value: number) => string;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
}

const CHART_HEIGHT = 110;
/** Width of the value axis in px. */
const AXIS = 56;
const LOOKS = {
  light: { lines: ["#1864ab", "#c92a2a", "#5f3dc4"], text: "#495057", grid: "#e9ecef" },
  dark: { lines: ["#4dabf7", "#ff8787", "#b197fc"], text: "#c1c2c5", grid: "#373a40" },
} as const;
const DASHES = [undefined, [6, 3], [2, 3]];
/** Charts with this key share the cursor. */
const TOGETHER = "traffic";

type Looks = (typeof LOOKS)["light" | "dark"];

function options(
  props: Pick<ChartProps, "lines" | "format" | "onZoom">,
  { text, grid, lines: colours }: Looks,
  language: string,
  timeLabel: string,
): Omit<uPlot.Options, "width"> {
  const { lines, format, onZoom } = props;
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  };
  const shown = (_: uPlot, value: number | null) =>
    value === null || value === undefined ? "–" : format(value);
  return {
    height: CHART_HEIGHT,
    legend: { live: true },
    cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: TOGETHER } },
    axes: [
      { ...axis, space: 60, values: (_, splits) => splits.map((at) => hourAndMinute(at * 1_000, language)) },
      { ...axis, size: AXIS, space: 28, values: (_, splits) => splits.map(format) },
    ],
    scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most ?? 0, 1e-9) * 1.1] } },
    series: [
      { label: timeLabel, value: (_, at) => (at === null ? "–" : timeOfDay(at * 1_000, language)) },
      ...lines.map(({ label }, at) => ({
        label,
        ...{ stroke: colours[at % colours.length], width: 1.5, value: shown },
        ...(DASHES[at] && { dash: DASHES[at] }),
        // Seconds without requests have no latency: an isolated value is a dot.
        points: { size: 4 },
      })),
    ],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          onZoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** Dragging zooms into a range. Neighboring figures describe the lines for screen readers. */
export function Chart({ times, lines, format, zoom, onZoom }: ChartProps) {
  const { t, i18n } = useTranslation();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const inner = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const looks = LOOKS[useComputedColorScheme("light")];
  const shown = Math.round(width);
  const latest = useRef({ times, lines, format, zoom, onZoom });
  latest.current = { times, lines, format, zoom, onZoom };

  useEffect(() => {
    const place = inner.current;
    if (place === null || shown === 0) return;
    const { lines: first, times: from } = latest.current;
    const props = {
      lines: first,
      format: (value: number) => latest.current.format(value),
      onZoom: (next: Zoom) => latest.current.onZoom(next),
    };
    const data: uPlot.AlignedData = [[...from], ...first.map(({ values }) => [...values])];
    const made = new uPlot(
      { ...options(props, looks, i18n.language, t("chart.time")), width: shown },
      data,
      place,
    );
    plot.current = made;
    return () => made.destroy();
  }, [shown, looks, i18n.language, t]);

  useEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    made.setData([[...times], ...lines.map(({ values }) => [...values])], zoom === undefined);
    if (zoom !== undefined) made.setScale("x", { min: zoom[0], max: zoom[1] });
  }, [times, lines, zoom]);

  return (
    <div ref={ref} aria-hidden className="chart">
      <div ref={inner} />
    </div>
  );
}
