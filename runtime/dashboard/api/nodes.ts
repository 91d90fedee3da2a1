import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { AdminError, callAdmin } from "./client";

type Nodes = Answers["readNodes"];
/** Kinds that have nodes. */
export type NodeKind = Nodes["upstreams"][number]["kind"];
/** A node with what all workers know of it. */
export type UpstreamNode = Nodes["upstreams"][number]["nodes"][number];
export type NodeState = UpstreamNode["state"];

/** Seconds between two looks while the page is in sight. */
const EVERY_MS = 3_000;

export const nodesQuery = (kind: NodeKind, id: string) =>
  queryOptions({
    queryKey: ["nodes", kind, id],
    queryFn: async ({ signal }) => {
      const asked = new URLSearchParams({ kind, id });
      try {
        const { workers, upstreams } = (await callAdmin<Nodes>(`nodes?${asked}`, { signal })).body;
        return { at: Date.now(), workers, nodes: upstreams[0]?.nodes ?? [] };
      } catch (error) {
        // A disabled resource is there, and has nothing that runs.
        if (error instanceof AdminError && error.status === 404)
          return { at: Date.now(), workers: 0, nodes: [] };
        throw error;
      }
    },
    refetchInterval: EVERY_MS,
  });

/** Key of a resource's nodes: a service and an upstream of the same id differ. */
export const nodesKey = (kind: NodeKind, id: string): string =>
  kind === "upstreams" ? id : `${kind.replace(/s$/, "")}:${id}`;

/** Nodes that are not healthy, by `nodesKey`, and who has had requests: of thousands of healthy ones nothing is sent. */
export const outQuery = queryOptions({
  queryKey: ["nodes"],
  queryFn: async ({ signal }) => {
    const { upstreams, used } = (await callAdmin<Nodes>("nodes?out=true", { signal })).body;
    const seen = used === null ? undefined : new Set(used);
    return {
      out: new Map(upstreams.map(({ kind, id, nodes }) => [nodesKey(kind, id), nodes])),
      isUntried: (key: string) => seen !== undefined && !seen.has(key),
    };
  },
  refetchInterval: EVERY_MS,
});
