import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

/** README of a plugin as Markdown; null if it has none. It does not change while the gateway runs. */
export const readmeQuery = (plugin: string) =>
  queryOptions({
    queryKey: ["readme", plugin],
    queryFn: async ({ signal }) => {
      const path = `plugins/${encodeURIComponent(plugin)}/readme`;
      return (await callAdmin<Answers["readPluginReadme"]>(path, { signal })).body.readme;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
