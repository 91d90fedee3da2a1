import { queryOptions } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Answers } from "./answers.gen";
import { callAdmin, requestAdmin } from "./client";
import { isSignedIn } from "./session";

export type OverviewAnswer = Answers["readOverview"];
/** Counts of a stretch of time and its latencies in milliseconds, beside those of the stretch before, and point by point. */
export type Stretch = OverviewAnswer["total"];
export type Series = Stretch["series"];
export type Figures = Omit<Stretch, "before" | "series">;
export type Attention = OverviewAnswer["attention"][number];
export type Now = OverviewAnswer["now"];

/** Seconds that the page shows. */
export const SHOWN_SECONDS = 900;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: async ({ signal }) =>
    (await callAdmin<OverviewAnswer>(`overview?seconds=${SHOWN_SECONDS}`, { signal })).body,
  refetchInterval: 10_000,
});

/** What the stream says at once: the last second, and how the gateway is. */
export interface Live {
  second?: Figures & { at: number };
  now?: Now;
  attention?: Attention[];
}

/** Again after the stream ended: a gateway that restarts is asked until it answers. */
const AGAIN_MS = 3_000;

/**
 * Follows the stream of seconds while the page is there and seen: a browser has six connections for all of its tabs.
 * `fetch`, since `EventSource` cannot send the header with the key.
 */
export function useLiveOverview(): Live {
  const [live, setLive] = useState<Live>({});
  useEffect(() => {
    const take = (event: string, data: string) => {
      const read = JSON.parse(data) as Live & Figures & { at: number };
      if (event === "second") setLive((before) => ({ ...before, second: read }));
      if (event === "state") setLive((before) => ({ ...before, now: read.now, attention: read.attention }));
    };
    const follow = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // With a key that is refused it would be refused each time.
        if (isSignedIn()) await followOnce(signal, take).catch(() => {});
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
    turn();
    document.addEventListener("visibilitychange", turn);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      ended.abort();
    };
  }, []);
  return live;
}

async function followOnce(signal: AbortSignal, take: (event: string, data: string) => void): Promise<void> {
  const response = await requestAdmin("overview/events", { signal });
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
