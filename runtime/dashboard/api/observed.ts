import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { AdminError, callAdmin, fetched } from "./client";

type Nodes = Answers["readNodes"];
export type NodeKind = Nodes["upstreams"][number]["kind"];
export type UpstreamNode = Nodes["upstreams"][number]["nodes"][number];
export type NodeState = UpstreamNode["state"];

/** Interval in ms while the page is visible. */
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
        // A disabled resource exists, but has no running nodes.
        if (error instanceof AdminError && error.status === 404)
          return { at: Date.now(), workers: 0, nodes: [] };
        throw error;
      }
    },
    refetchInterval: EVERY_MS,
  });

/** Key of the nodes of a resource; distinguishes a service from an upstream with the same id. */
export const nodesKey = (kind: NodeKind, id: string): string =>
  kind === "upstreams" ? id : `${kind.replace(/s$/, "")}:${id}`;

/** Unhealthy nodes and the resources with requests; the healthy nodes, which the gateway omits, may be thousands. */
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

type Chains = Answers["readCertificate"];
export type Certificate = Chains["chains"][number][number];
export type Expiry = Answers["listCertificates"]["certificates"][number];

/** Fetched again after each change, as resources are. */
export const expiryQuery = queryOptions({
  queryKey: ["resources", "ssls", "expiry"],
  queryFn: async ({ signal }) => {
    const { certificates } = (await callAdmin<Answers["listCertificates"]>("certificates", { signal })).body;
    return new Map(certificates.map((one) => [one.id, one]));
  },
});

export const chainsQuery = (id: string) =>
  queryOptions({
    queryKey: ["resources", "ssls", id, "chains"],
    queryFn: fetched<Chains>(`certificates/${encodeURIComponent(id)}`),
  });
