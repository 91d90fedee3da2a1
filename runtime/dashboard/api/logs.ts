import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

type Logs = Answers["readLogs"];
export type LogDestination = Logs["destinations"][number];
export type LogUser = LogDestination["used_by"][number];

/** Polled while the page is visible. */
export const logsQuery = queryOptions({
  queryKey: ["logs"],
  queryFn: async ({ signal }) => (await callAdmin<Logs>("logs", { signal })).body,
  refetchInterval: 3_000,
});

/** Discards records that wait on disk. @returns the number of entries */
export const purge = async (id: string): Promise<number> =>
  (
    await callAdmin<Answers["purgeLogs"]>(`logs/${encodeURIComponent(id)}/purge`, {
      method: "POST",
      body: {},
    })
  ).body.entries;
