import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

type Logs = Answers["readLogs"];
/** Destinations of log records, and the fate of the records. */
export type LogDestination = Logs["destinations"][number];
/** A resource whose plugins log to a destination. */
export type LogUser = LogDestination["used_by"][number];

/** Asked again while the page is in sight. */
export const logsQuery = queryOptions({
  queryKey: ["logs"],
  queryFn: async ({ signal }) => (await callAdmin<Logs>("logs", { signal })).body,
  refetchInterval: 3_000,
});

/** Gives up what waits on disk. @returns how many entries */
export const purge = async (id: string): Promise<number> =>
  (
    await callAdmin<Answers["purgeLogs"]>(`logs/${encodeURIComponent(id)}/purge`, {
      method: "POST",
      body: {},
    })
  ).body.entries;
