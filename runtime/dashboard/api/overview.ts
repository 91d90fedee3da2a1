import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Answers, Figures, Series, TimeRange } from "./answers.gen";
import { fetched, requestAdmin } from "./client";
import { isSignedIn } from "./session";

export type { Figures, Series, TimeRange };

type Whole = Answers["readOverview"];
export type Attention = Whole["attention"][number];
export type Now = Whole["now"];
export type Row = Omit<TimeRange, "series"> & { id: string };
export type OverviewAnswer = Omit<Whole, "routes" | "upstreams"> & { routes: Row[]; upstreams: Row[] };

export interface TimeRangeQuery {
  seconds: number;
  /** One route or upstream: "routes/shop", "upstreams/route:shop". */
  of?: string | undefined;
}

/** Default window in seconds. */
export const SHOWN_SECONDS = 900;
export const HOUR = 3_600;

/** Not polled while a stream updates it every 5 s. */
export const overviewQuery = (asked: TimeRangeQuery) =>
  queryOptions({
    queryKey: ["overview", asked],
    queryFn: fetched<OverviewAnswer>(`overview?${queryOf(asked)}`),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });

const queryOf = ({ seconds, of }: TimeRangeQuery) =>
  new URLSearchParams({ seconds: String(seconds), ...(of !== undefined && { of }) }).toString();

/** Figures of the last second, from the stream. */
export type Second = Figures & { at: number; unrouted?: number } & Partial<
    Record<"routes" | "upstreams", (Figures & { id: string })[]>
  >;

/** Delay in ms before the stream is opened again, until a restarting gateway responds. */
const AGAIN_MS = 3_000;

/**
 * Follows the stream while the page is visible, because a browser has six connections for all of its tabs.
 * Its figures replace those of the query. Uses `fetch`, since `EventSource` cannot send the header with the
 * key.
 * @returns the last second; undefined without a stream
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
        // A rejected key would be rejected each time.
        if (isSignedIn()) await followOnce(queryOf({ seconds, of }), signal, take).catch(() => {});
        // Without a stream, the last second is outdated.
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
