import { queryOptions } from "@tanstack/react-query";
import type { TraceSummary, Traces } from "./answers.gen";
import { callAdmin, fetched } from "./client";

export type { TraceSummary, Traces };
/** One recorded request; the gateway masks credentials and secrets. */
export type Trace = Traces["traces"][number];
export type TraceFields = Trace["request"]["headers"];
export type TracePhase = Trace["phases"][number];
export type TraceStep = TracePhase["steps"][number];
export type TraceChange = TraceStep["changes"][number];
export type TraceAttempt = Trace["attempts"][number];

/** Conditions on a request; an absent one matches any. */
export type TraceMatch = TraceSummary["match"];

export interface TraceWanted {
  count: number;
  for_seconds: number;
  match: TraceMatch;
}

export const tracesQuery = queryOptions({
  queryKey: ["traces"],
  queryFn: fetched<TraceSummary[]>("trace"),
});

/** A trace with its recorded requests, polled each second while it is armed. */
export const traceQuery = (id: string) =>
  queryOptions({
    queryKey: ["traces", id],
    queryFn: fetched<Traces>(`trace/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.state === "armed" ? 1_000 : false,
    enabled: id !== "",
  });

/** @throws AdminError if there is no condition, or too many traces are armed */
export const armTrace = async (wanted: TraceWanted): Promise<Traces> =>
  (await callAdmin<Traces>("trace", { method: "POST", body: wanted })).body;

export const disarmTrace = async (id: string): Promise<Traces> =>
  (await callAdmin<Traces>(`trace/${encodeURIComponent(id)}`, { method: "DELETE" })).body;
