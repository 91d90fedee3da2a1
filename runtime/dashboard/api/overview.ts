import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Answers } from "./answers.gen";
import { callAdmin, requestAdmin } from "./client";
import { isSignedIn } from "./session";

type Whole = Answers["readOverview"];
/** Counts of a stretch of time and its latencies in milliseconds, beside those of the stretch before, and point by point. */
export type TimeRange = Whole["total"];
export type Series = TimeRange["series"];
export type Figures = Omit<TimeRange, "before" | "series">;
export type Attention = Whole["attention"][number];
export type Now = Whole["now"];
/** A route or an upstream among the others. */
export type Row = Omit<TimeRange, "series"> & { id: string };
export type OverviewAnswer = Omit<Whole, "routes" | "upstreams"> & { routes: Row[]; upstreams: Row[] };

/** Query for the last hour. */
export interface TimeRangeQuery {
  seconds: number;
  /** One route or upstream: "routes/shop", "upstreams/route:shop". */
  of?: string | undefined;
}

/** Seconds of the past that are shown first. */
export const SHOWN_SECONDS = 900;
export const HOUR = 3_600;

/** While a stream tells it anew every 5 s, it is not asked for. */
export const overviewQuery = (asked: TimeRangeQuery) =>
  queryOptions({
    queryKey: ["overview", asked],
    queryFn: async ({ signal }) =>
      (await callAdmin<OverviewAnswer>(`overview?${queryOf(asked)}`, { signal })).body,
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });

const queryOf = ({ seconds, of }: TimeRangeQuery) =>
  new URLSearchParams({ seconds: String(seconds), ...(of !== undefined && { of }) }).toString();

/** The last second, as the stream tells it. */
export type Second = Figures & { at: number; unrouted?: number } & Partial<
    Record<"routes" | "upstreams", (Figures & { id: string })[]>
  >;

/** Again after the stream ended: a gateway that restarts is asked until it answers. */
const AGAIN_MS = 3_000;

/**
 * Follows the stream of seconds while the page is there and seen: a browser has six connections for all of its tabs. What it tells of
 * the stretch and of the moment takes the place of what was asked for. `fetch`, since `EventSource` cannot send the header with the key.
 * @returns the last second; undefined while nobody tells it
 */
export function useLiveOverview({ seconds, of }: TimeRangeQuery): Second | undefined {
  const [second, setSecond] = useState<Second>();
  const client = useQueryClient();
  useEffect(() => {
    const { queryKey } = overviewQuery({ seconds, of });
    const take = (event: string, data: string) => {
      if (event === "second") setSecond(JSON.parse(data) as Second);
      if (event !== "state" && event !== "stretch") return;
      const told = JSON.parse(data) as Partial<OverviewAnswer>;
      client.setQueryData(queryKey, (before) => before && { ...before, ...told });
    };
    const follow = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // With a key that is refused it would be refused each time.
        if (isSignedIn()) await followOnce(queryOf({ seconds, of }), signal, take).catch(() => {});
        // The last second is none any more.
        if (!signal.aborted) setSecond(undefined);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    };
    let ended = new AbortController();
    const turn = () => {
      ended.abort();
      if (document.hidden) return;
      ended = new AbortController();
      void follow(ended.signal);
    };
    setSecond(undefined);
    turn();
    document.addEventListener("visibilitychange", turn);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      ended.abort();
    };
  }, [seconds, of, client]);
  return second;
}

async function followOnce(
  query: string,
  signal: AbortSignal,
  take: (event: string, data: string) => void,
): Promise<void> {
  const response = await requestAdmin(`overview/events?${query}`, { signal });
  if (!response.ok || response.body === null) return;
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const blocks = (rest + read.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/s.exec(block) ?? [];
      if (event !== "") take(event, data);
    }
  }
}
