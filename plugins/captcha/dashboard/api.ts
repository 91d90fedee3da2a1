import { queryOptions } from "@tanstack/react-query";
import {
  AdminError,
  callAdmin,
  changeOf,
  editable,
  idOf,
  type Listed,
  type Resource,
  type Value,
  type WriteAnswer,
} from "../../../runtime/dashboard/plugin-kit";

/** Names in paths of the admin API. */
export type CaptchaKind = "customers" | "site-keys" | "api-keys";

export const pathOf = (kind: CaptchaKind, id?: string): string =>
  `captcha/${kind}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;

/** Loaded again after every write, as all resources are. */
const listQuery = (kind: CaptchaKind) =>
  queryOptions({
    queryKey: ["resources", "captcha", kind],
    queryFn: async ({ signal }): Promise<Resource[]> =>
      (await callAdmin<Listed>(pathOf(kind), { signal })).body.list,
  });
export const customersQuery = listQuery("customers");
export const siteKeysQuery = listQuery("site-keys");
export const apiKeysQuery = listQuery("api-keys");

export interface Protectable {
  id: string;
  /** Location in the file to change; undefined: it can be changed here. */
  file: string | undefined;
  siteKey: string | undefined;
  enabled: boolean;
}

export const routesQuery = queryOptions({
  queryKey: ["resources", "routes", "protectable"],
  queryFn: async ({ signal }): Promise<Protectable[]> => {
    const { list } = (await callAdmin<Listed>("routes", { signal })).body;
    return list.map((one) => ({
      id: idOf(one),
      file: one.static,
      siteKey: siteKeyIn(one),
      enabled: one.value["status"] !== 0,
    }));
  },
});

/** Reason why a route would get no verdicts (`control/access.ts`). */
export type Denial = string;

/** Checks both keys as the plugin would. @throws AdminError */
export const accessDenials = async (siteKey: string, apiKey: string): Promise<readonly Denial[]> =>
  (
    await callAdmin<{ reasons: Denial[] }>("captcha/access", {
      method: "POST",
      body: { site_key: siteKey, api_key: apiKey },
    })
  ).body.reasons;

const WITH_PLUGINS = ["routes", "services", "plugin_configs", "global_rules", "consumers"] as const;

/** Resources that verify tokens of a site key, such as "routes/1". */
export const usersQuery = (siteKey: string) =>
  queryOptions({
    queryKey: ["resources", "captcha", "users", siteKey],
    queryFn: async ({ signal }): Promise<string[]> => {
      const lists = await Promise.all(
        WITH_PLUGINS.map(async (kind) => (await callAdmin<Listed>(kind, { signal })).body.list),
      );
      return lists.flatMap((list, at) =>
        list.filter((one) => siteKeyIn(one) === siteKey).map((one) => `${WITH_PLUGINS[at]}/${idOf(one)}`),
      );
    },
  });

function siteKeyIn({ value: { plugins } }: Resource): string | undefined {
  const { captcha } = (plugins ?? {}) as { captcha?: { site_key?: unknown } };
  return captcha === undefined ? undefined : String(captcha.site_key);
}

/** Tag of the version; null: from a file. */
export interface Version {
  value: Value;
  etag: string | null;
  /** Location in a file; the resource is then read-only. */
  origin: string | undefined;
}

/** @throws AdminError */
export async function read(kind: CaptchaKind, id: string, signal?: AbortSignal): Promise<Version> {
  const { body, etag } = await callAdmin<Resource>(pathOf(kind, id), { signal });
  return { value: editable(body.value), etag, origin: body.static };
}

export const versionQuery = (kind: CaptchaKind, id: string) =>
  queryOptions({
    queryKey: ["resources", "captcha", kind, id],
    queryFn: ({ signal }) => read(kind, id, signal),
    // A cached version from before another change, even by a button of this page, would cause a conflict.
    gcTime: 0,
  });

/** Writes or runs a dry run. @param target without `etag`: not overwritten if it exists @throws AdminError */
export const write = (
  { kind, id, etag }: { kind: CaptchaKind; id: string; etag?: string | null },
  text: string,
  trial?: AbortSignal,
) => {
  const path = `${id === "" ? pathOf(kind) : pathOf(kind, id)}${trial ? "?dry_run=true" : ""}`;
  const call = { method: id === "" ? "POST" : "PUT", body: text, signal: trial } as const;
  const onlyNew = etag === undefined && id !== "";
  return callAdmin<WriteAnswer>(path, { ...call, ifMatch: etag ?? undefined, onlyNew });
};

/**
 * Only this response contains the key's text, which nothing stores.
 * @param terms `expires`: RFC 3339; undefined: it does not expire
 */
export const makeApiKey = (
  customer: string,
  { desc, expires }: { desc: string; expires?: string | undefined },
) =>
  callAdmin<WriteAnswer & { secret: string }>(pathOf("api-keys"), {
    method: "POST",
    body: { customer, ...(desc !== "" && { desc }), ...(expires !== undefined && { expires }) },
  });

/** Leaves the rest unchanged. @returns number of the change */
export const enable = async (kind: CaptchaKind, id: string, enabled: boolean): Promise<number[]> =>
  changeOf(await callAdmin(pathOf(kind, id), { method: "PATCH", body: { enabled } }));

export const remove = (kind: CaptchaKind, id: string) => callAdmin(pathOf(kind, id), { method: "DELETE" });

/** Since the start of the captcha's process. */
export interface Counts {
  issued: number;
  challenged: number;
  solved: number;
  failed: number;
  refused: number;
  verified: number;
  rejected: Readonly<Record<string, number>>;
  time_to_solve_ms: { median: number; p90: number } | null;
}

interface Answered {
  url: string;
  since: string;
  total: Counts;
  site_keys: Readonly<Record<string, Counts>>;
  /** Settings that take effect at a restart. */
  restart_needed: readonly string[];
  /** Site keys whose price is raised for an attack. */
  under_attack: Readonly<Record<string, { level: number; since: string }>>;
}

export interface CountsSample {
  /** Epoch ms. */
  at: number;
  verified: Readonly<Record<string, number>>;
}

/** `absent`: no captcha is configured; `away`: reason why it does not respond. */
export type Service =
  | { state: "up"; counts: Answered; looks: readonly CountsSample[] }
  | { state: "absent" }
  | { state: "away"; reason: string };

const EVERY_MS = 3_000;
/** Polls of five minutes. */
const MAX_LOOKS = 100;

/** Polled while the page is visible. */
export const serviceQuery = queryOptions({
  queryKey: ["captcha", "service"],
  refetchInterval: EVERY_MS,
  queryFn: async ({ signal, client, queryKey }): Promise<Service> => {
    try {
      const { body } = await callAdmin<Answered>("captcha/stats?format=json", { signal });
      return { state: "up", counts: body, looks: looksWith(client.getQueryData<Service>(queryKey), body) };
    } catch (error) {
      if (!(error instanceof AdminError)) throw error;
      if (error.status === 404) return { state: "absent" };
      if (error.status === 503) return { state: "away", reason: error.message };
      throw error;
    }
  },
});

/** Drops earlier counts if the process has restarted since. */
function looksWith(before: Service | undefined, now: Answered): CountsSample[] {
  const verified = Object.fromEntries(
    Object.entries(now.site_keys).map(([siteKey, counts]) => [siteKey, counts.verified]),
  );
  const kept = before?.state === "up" && before.counts.since === now.since ? before.looks : [];
  return [...kept.slice(1 - MAX_LOOKS), { at: Date.now(), verified }];
}
