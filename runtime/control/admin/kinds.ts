import type { Kind } from "../../../compiler/model/resource.js";
import { resourceContributions } from "../../../plugins/control.js";
import type { ResourceContribution } from "../../process/contribution.js";

/** Behaviour of a kind of resource under `/gw/admin/{path}`; reference section 1.3. */
export interface AdminKind
  extends Pick<ResourceContribution, "newId" | "readOnlyFields" | "hidden" | "issue"> {
  segment: Kind;
  /** Path such as "routes"; kinds of a plugin may have a folder: "captcha/site-keys". */
  path: string;
  /** Plugin that contributes the kind; undefined for kinds of gwc itself. */
  plugin?: string;
  label: string;
  post: boolean;
  patch: boolean;
  /** Source of the id: path or `id` of the body; `username` of the body; name of the plugin in the path. */
  identity: "id" | "username" | "plugin";
  /** Reports whether an id is valid; an invalid one is put into the text of a write for the schema. */
  fitting: (id: string) => boolean;
}

const kind = (segment: Kind, label: string, more: Partial<AdminKind> = {}): AdminKind => ({
  segment,
  path: segment,
  label,
  post: true,
  patch: true,
  identity: "id",
  fitting: (id) => /^[A-Za-z0-9\-_.]{1,64}$/.test(id),
  ...more,
});

const ADMIN_KINDS: ReadonlyMap<string, AdminKind> = new Map(
  [
    kind("routes", "route"),
    kind("services", "service"),
    kind("upstreams", "upstream"),
    kind("plugin_configs", "plugin config", { post: false }),
    kind("global_rules", "global rule", { post: false }),
    kind("plugin_metadata", "plugin_metadata", { post: false, patch: false, identity: "plugin" }),
    kind("consumers", "consumer", { post: false, patch: false, identity: "username" }),
    // Private keys are not shown even masked (reference 1.3).
    kind("ssls", "ssl", { hidden: ["key", "keys"] }),
    ...resourceContributions().map(({ kind: segment, label, ...more }) => kind(segment as Kind, label, more)),
  ].map((entry) => [entry.path, entry]),
);

const bySegment: ReadonlyMap<string, AdminKind> = new Map(
  [...ADMIN_KINDS.values()].map((entry) => [entry.segment, entry]),
);
const folders: ReadonlySet<string> = new Set(
  [...ADMIN_KINDS.keys()].flatMap((path) => (path.includes("/") ? [path.split("/", 1)[0] ?? ""] : [])),
);

export const adminKinds = (): readonly AdminKind[] => [...ADMIN_KINDS.values()];

export const isFolder = (segment: string): boolean => folders.has(segment);

export const adminKind = (segment: string): AdminKind | undefined => bySegment.get(segment);

export const pathOf = (segment: string): string => adminKind(segment)?.path ?? segment;

export interface NamedKind {
  /** Path as requested: "routes", "captcha/site-keys". */
  path: string;
  kind: AdminKind | undefined;
  /** Segments after the kind: the id, and those below the resource. */
  rest: string[];
}

/** Reads the kind at the beginning of a path; one in a folder takes two segments. */
export function namedKind(segments: readonly string[]): NamedKind {
  const length = isFolder(segments[0] ?? "") ? 2 : 1;
  const path = segments.slice(0, length).join("/");
  return { path, kind: ADMIN_KINDS.get(path), rest: segments.slice(length) };
}

/** Returns the schema name of a kind ("route", "captcha_site_key") by its path; the singular works too. */
export function schemaName(path: string): string {
  const name = path.replaceAll(/[/-]/g, "_");
  return name === "plugin_metadata" ? name : name.replace(/s$/, "");
}
