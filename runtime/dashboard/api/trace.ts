import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

export type TraceSummary = Answers["listTraces"][number];
export type Traces = Answers["readTrace"];
/** One request that was recorded; credentials and secrets are masked by the gateway. */
export type Trace = Traces["traces"][number];
export type TraceFields = Trace["request"]["headers"];
export type TracePhase = Trace["phases"][number];
export type TraceStep = TracePhase["steps"][number];
export type TraceChange = TraceStep["changes"][number];
export type TraceAttempt = Trace["attempts"][number];

/** Conditions on a request; an absent one is not asked. */
export type TraceMatch = TraceSummary["match"];

export interface TraceWanted {
  count: number;
  for_seconds: number;
  match: TraceMatch;
}

/** Traces that are armed or kept, the last one first. */
export const tracesQuery = queryOptions({
  queryKey: ["traces"],
  queryFn: async ({ signal }) => (await callAdmin<TraceSummary[]>("trace", { signal })).body,
});

/** One of them with what it has caught, asked again each second while it is armed. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: ["traces", id],
    queryFn: async ({ signal }) =>
      (await callAdmin<Traces>(`trace/${encodeURIComponent(id)}`, { signal })).body,
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.state === "armed" ? 1_000 : false,
    enabled: id !== "",
  });

/** @throws AdminError for what says nothing, or when too many are armed */
export const armTrace = async (wanted: TraceWanted): Promise<Traces> =>
  (await callAdmin<Traces>("trace", { method: "POST", body: wanted })).body;

export const disarmTrace = async (id: string): Promise<Traces> =>
  (await callAdmin<Traces>(`trace/${encodeURIComponent(id)}`, { method: "DELETE" })).body;
