import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { Schema } from "../forms/schema";
import type { Answers } from "./answers.gen";
import { type AdminAnswer, callAdmin, type Finding } from "./client";
import { mergePatch } from "./merge-patch";
import { currentNote } from "./note";

/** Kinds of resources that pages are made for, as they begin a path of the admin API. */
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

export type Value = Readonly<Record<string, unknown>>;

/** A resource as the admin API shows it. */
export interface Resource {
  key: string;
  value: Value;
  /** Place in a file that says it ("routes.yaml:29:3"); absent: it is in the store. */
  static?: string;
  modifiedIndex: number;
}

export interface Listed {
  total: number;
  list: Resource[];
}

/** Answer to a write. */
export interface WriteAnswer extends Resource {
  warnings?: Finding[];
}

/** Name of the schema of a kind. */
export const schemaOf = (kind: Kind): string => (kind === "plugin_metadata" ? kind : kind.replace(/s$/, ""));

/** The id, or what stands for it: a consumer's name, the plugin's of metadata. */
export const idOf = ({ key }: Resource): string => key.slice(key.lastIndexOf("/") + 1);

/** Entity tag of its version, as a list has none. */
export const tagOf = ({ modifiedIndex }: Resource): string => `"${modifiedIndex}"`;

export const listQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ["resources", kind],
    queryFn: async ({ signal }) => (await callAdmin<Listed>(kind, { signal })).body.list,
    // To look for what stayed the same among 10,000 takes longer than to show what is in sight.
    structuralSharing: false,
  });

/** How many there are of a kind. */
export const totalQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ["resources", kind, "total"],
    queryFn: async ({ signal }) => {
      const { body } = await callAdmin<Listed>(`${kind}?page=1&page_size=10`, { signal });
      return body.total;
    },
  });

const pathOf = (kind: Kind, id: string): string => `${kind}/${encodeURIComponent(id)}`;

/** A resource with the tag of its version; null: it is from a file and has none. */
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

/** Schema of a kind of resource, or of a plugin ("plugins/syslog"). They do not change while the gateway runs. */
export const schemaQuery = (name: string) =>
  queryOptions({
    queryKey: ["schema", name],
    queryFn: async ({ signal }) => (await callAdmin<Value>(`schema/${name}`, { signal })).body,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const pluginsQuery = queryOptions({
  queryKey: ["schema", "plugins"],
  queryFn: async ({ signal }) => (await callAdmin<Answers["readPlugins"]>("plugins", { signal })).body,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Schema of the settings that a resource of a kind has for a plugin: a consumer holds what it is known by. */
export const settingsSchema = (
  { schema, consumer_schema }: Pick<Answers["readPlugins"][string], "schema" | "consumer_schema">,
  kind: Kind,
): Schema => ((kind === "consumers" ? consumer_schema : undefined) ?? schema) as Schema;

/** Kinds of which not all is shown: a certificate's key stays in the gateway, and so such a resource is changed, not replaced. */
const NOT_WHOLE: ReadonlySet<Kind> = new Set(["ssls"]);

export interface PutOptions {
  kind: Kind;
  id: string;
  /** JSON. */
  text: string;
  /** Value that is there, as it is shown. Undefined: none yet. */
  over?: Value | undefined;
  ifMatch?: string | undefined;
  /** It is to be made: what is there already is not written over. */
  onlyNew?: boolean;
  /** effect: and tell what it would change for traffic; module: of generated modules. */
  dryRun?: boolean | "effect" | "module";
  /** With module: whose is told. */
  of?: string | undefined;
  signal?: AbortSignal;
}

/** Fields that the gateway writes itself, and refuses none of; they are not the user's to edit. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(["create_time", "update_time"]);

/** Number of the change that a write made, as the history has it: the version's tag holds it. */
export const changeOf = ({ etag }: AdminAnswer<unknown>): number[] => {
  const number = Number(/^"(\d+)"$/.exec(etag ?? "")?.[1]);
  return Number.isInteger(number) ? [number] : [];
};

/** Writes a resource. @throws AdminError; 412: it changed since it was read */
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

export const remove = (kind: Kind, id: string, ifMatch?: string) =>
  callAdmin(pathOf(kind, id), { method: "DELETE", ifMatch });

/**
 * Makes a resource. A consumer's name stands in its text, not in the path.
 * @param id "": the gateway gives one
 * @throws AdminError 412 when there is one of that id
 */
export async function make(kind: Kind, id: string, text: string): Promise<{ id: string; changes: number[] }> {
  const path = id === "" || kind === "consumers" ? kind : pathOf(kind, id);
  const call = { method: id === "" ? "POST" : "PUT", body: text, onlyNew: id !== "" } as const;
  const answer = await callAdmin<WriteAnswer>(path, { ...call, note: currentNote() });
  return { id: idOf(answer.body), changes: changeOf(answer) };
}

/** Changes fields of a resource; null takes one out. @throws AdminError; 412: it changed since it was read */
export const patch = (kind: Kind, id: string, body: Value, ifMatch?: string) =>
  callAdmin<WriteAnswer>(pathOf(kind, id), { method: "PATCH", body, ifMatch });

/** Asks again after a change for all that is shown, and for what runs of it. */
export function useForget(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const shown = ["resources", "nodes"].map((name) => client.invalidateQueries({ queryKey: [name] }));
    await Promise.all(shown);
  };
}
