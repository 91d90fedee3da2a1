import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { Schema } from "../forms/schema";
import type { Answers } from "./answers.gen";
import { type AdminAnswer, callAdmin, type Finding, fetched } from "./client";
import { mergePatch } from "./merge-patch";
import { SharedState, useShared } from "./shared-state";

export const KINDS = [
  "routes",
  "services",
  "upstreams",
  "plugin_configs",
  "global_rules",
  "plugin_metadata",
  "consumers",
  "ssls",
] as const;
export type Kind = (typeof KINDS)[number];

export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text);

/** Resource with a name such as "routes/shop". */
export function resourceNamed(name: string): { kind: Kind; id: string } | undefined {
  const [, kind = "", id = ""] = /^([a-z_]+)\/([^:/\s]+)/.exec(name) ?? [];
  return isKind(kind) && id !== "" ? { kind, id } : undefined;
}

export type Value = Readonly<Record<string, unknown>>;

export interface Resource {
  key: string;
  value: Value;
  /** Location in a file ("routes.yaml:29:3"); absent for a resource of the store. */
  static?: string;
  modifiedIndex: number;
}

export interface Listed {
  total: number;
  list: Resource[];
}

export interface WriteAnswer extends Resource {
  warnings?: Finding[];
}

export const schemaOf = (kind: Kind): string => (kind === "plugin_metadata" ? kind : kind.replace(/s$/, ""));

/** The id, or the name in its place: of the consumer, or of the plugin for metadata. */
export const idOf = ({ key }: Resource): string => key.slice(key.lastIndexOf("/") + 1);

/** Entity tag of its version, which list items lack. */
export const tagOf = ({ modifiedIndex }: Resource): string => `"${modifiedIndex}"`;

export const listQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ["resources", kind],
    queryFn: async ({ signal }) => (await callAdmin<Listed>(kind, { signal })).body.list,
    // A comparison of 10,000 items takes longer than rendering the visible ones.
    structuralSharing: false,
  });

export const totalQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ["resources", kind, "total"],
    queryFn: async ({ signal }) => {
      const { body } = await callAdmin<Listed>(`${kind}?page=1&page_size=10`, { signal });
      return body.total;
    },
  });

const pathOf = (kind: Kind, id: string): string => `${kind}/${encodeURIComponent(id)}`;

/** A resource with the tag of its version; null if it is from a file. */
export interface Read {
  resource: Resource;
  etag: string | null;
}

export async function read(kind: Kind, id: string, signal?: AbortSignal): Promise<Read> {
  const { body, etag } = await callAdmin<Resource>(pathOf(kind, id), { signal });
  return { resource: body, etag };
}

export const resourceQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ["resources", kind, id],
    queryFn: ({ signal }) => read(kind, id, signal),
  });

/** Schema of a kind of resource, or of a plugin ("plugins/syslog"). Schemas do not change while the gateway runs. */
export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: ["schema", name],
    queryFn: fetched<Value>(`schema/${name}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const pluginsQuery = queryOptions({
  queryKey: ["schema", "plugins"],
  queryFn: fetched<Answers["readPlugins"]>("plugins"),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Schema of the plugin settings in a resource of a kind; for a consumer it is that of its credentials. */
export const settingsSchema = (
  { schema, consumer_schema }: Pick<Answers["readPlugins"][string], "schema" | "consumer_schema">,
  kind: Kind,
): Schema => ((kind === "consumers" ? consumer_schema : undefined) ?? schema) as Schema;

/** The gateway never returns the key of a certificate, so such a resource is patched, not replaced. */
const NOT_WHOLE: ReadonlySet<Kind> = new Set(["ssls"]);

export interface PutOptions {
  kind: Kind;
  id: string;
  /** Value as JSON. */
  text: string;
  /** Current value as returned; undefined if it is new. */
  over?: Value | undefined;
  ifMatch?: string | undefined;
  /** Creates a resource, and never overwrites an existing one. */
  onlyNew?: boolean;
  /** `effect` also returns the changes for traffic, `module` the changed modules. */
  dryRun?: boolean | "effect" | "module";
  /** With `module`: the resource of the module. */
  of?: string | undefined;
  signal?: AbortSignal;
}

/** Fields that the gateway sets. It accepts them in a write, but a user does not edit them. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(["create_time", "update_time"]);

/** Number of the change in the history that a write made, from the tag of the version. */
export const changeOf = ({ etag }: AdminAnswer<unknown>): number[] => {
  const number = Number(/^"(\d+)"$/.exec(etag ?? "")?.[1]);
  return Number.isInteger(number) ? [number] : [];
};

/** @throws AdminError, 412 if the resource changed since it was read */
export function put(options: PutOptions): Promise<AdminAnswer<WriteAnswer>> {
  const { kind, id, text, over, ifMatch, onlyNew = false, dryRun, of, signal } = options;
  const asked = of === undefined ? "" : `&of=${encodeURIComponent(of)}`;
  const path = `${pathOf(kind, id)}${dryRun ? `?dry_run=${dryRun}${asked}` : ""}`;
  const sent =
    over !== undefined && NOT_WHOLE.has(kind)
      ? ({ method: "PATCH", body: mergePatch(over, JSON.parse(text)) } as const)
      : ({ method: "PUT", body: text } as const);
  return callAdmin(path, { ...sent, ifMatch, onlyNew, signal, ...(!dryRun && { note: currentNote() }) });
}

export const remove = (kind: Kind, id: string, ifMatch: string | undefined) =>
  callAdmin(pathOf(kind, id), { method: "DELETE", ifMatch });

/**
 * Creates a resource. The name of a consumer is in its text, not in the path.
 * @param id "" lets the gateway choose one
 * @throws AdminError 412 if the id exists
 */
export async function make(kind: Kind, id: string, text: string): Promise<{ id: string; changes: number[] }> {
  const path = id === "" || kind === "consumers" ? kind : pathOf(kind, id);
  const call = { method: id === "" ? "POST" : "PUT", body: text, onlyNew: id !== "" } as const;
  const answer = await callAdmin<WriteAnswer>(path, { ...call, note: currentNote() });
  return { id: idOf(answer.body), changes: changeOf(answer) };
}

/** Null removes a field. @throws AdminError, 412 if the resource changed since it was read */
export const patch = (kind: Kind, id: string, body: Value, ifMatch?: string) =>
  callAdmin<WriteAnswer>(pathOf(kind, id), { method: "PATCH", body, ifMatch });

export function useRefetch(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const shown = ["resources", "nodes"].map((name) => client.invalidateQueries({ queryKey: [name] }));
    await Promise.all(shown);
  };
}

export const MAX_NOTE = 1_000;

/** Note of every write until it is cleared: a rejected save keeps it. */
const note = new SharedState("");

export function setNote(text: string): void {
  note.current = text;
}

export const currentNote = (): string => note.current.trim();

export const useNote = (): string => useShared(note, (text) => text);
