import { useComputedColorScheme } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface SparklineProps {
  /** Seconds since the epoch. */
  times: readonly number[];
  values: readonly (number | null)[];
}

const HEIGHT = 40;
/** Maximum number of values drawn as dots; more make a line anyway. */
const SPARSE = 60;
const isSparse = ({ data }: uPlot) => {
  const values = (data[1] ?? []) as (number | null)[];
  const known = values.filter((value) => value !== null).length;
  return known < values.length && known <= SPARSE;
};

/** A line without axes; neighboring figures describe it in words. */
export function Sparkline({ times, values }: SparklineProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const inner = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const colour = useComputedColorScheme("light") === "dark" ? "#4dabf7" : "#1864ab";
  const data = useRef<uPlot.AlignedData>([[], []]);
  data.current = [[...times], [...values]];
  const shown = Math.round(width);

  useEffect(() => {
    const place = inner.current;
    if (place === null || shown === 0) return;
    const hidden = { show: false };
    const made = new uPlot(
      {
        width: shown,
        height: HEIGHT,
        legend: hidden,
        cursor: hidden,
        axes: [hidden, hidden],
        scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most ?? 0, 1e-9) * 1.1] } },
        series: [
          {},
          // Seconds without requests have no latency: the line bridges them, and each known second is a dot.
          {
            stroke: colour,
            width: 1.5,
            fill: `${colour}22`,
            spanGaps: true,
            points: { show: isSparse, size: 4, fill: colour },
          },
        ],
      },
      data.current,
      place,
    );
    plot.current = made;
    return () => made.destroy();
  }, [shown, colour]);

  useEffect(() => {
    plot.current?.setData([[...times], [...values]]);
  }, [times, values]);

  return (
    <div ref={ref} aria-hidden style={{ height: HEIGHT, overflow: "hidden" }}>
      <div ref={inner} />
    </div>
  );
}
