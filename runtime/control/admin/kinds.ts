import type { Kind } from "../../../compiler/resolve/resource.js";
import { resourceContributions } from "../../../plugins/control.js";
import type { ResourceContribution } from "../../process/contribution.js";

/** How a kind of resource behaves under `/gw/admin/{path}`; reference section 1.3. */
export interface AdminKind
  extends Pick<ResourceContribution, "newId" | "readOnlyFields" | "hidden" | "issue"> {
  segment: Kind;
  /** "routes"; kinds of a plugin may have a folder: "captcha/site-keys". */
  path: string;
  /** Plugin that brings it; undefined: gwc's own. */
  plugin?: string;
  /** As messages call it. */
  label: string;
  post: boolean;
  patch: boolean;
  /** Origin of an id: path or `id` of the body; `username` of the body; the plugin's name in the path. */
  identity: "id" | "username" | "plugin";
  /** Reports whether an id may be one; another is put into the text of a write for the schema to refuse. */
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
    // Private keys are not even shown masked (reference 1.3).
    kind("ssls", "ssl", { hidden: ["key", "keys"] }),
    ...resourceContributions().map(({ kind: segment, label, ...more }) => kind(segment as Kind, label, more)),
  ].map((entry) => [entry.path, entry]),
);

const bySegment: ReadonlyMap<string, AdminKind> = new Map(
  [...ADMIN_KINDS.values()].map((entry) => [entry.segment, entry]),
);
/** First segments of paths that have two. */
const folders: ReadonlySet<string> = new Set(
  [...ADMIN_KINDS.keys()].flatMap((path) => (path.includes("/") ? [path.split("/", 1)[0] ?? ""] : [])),
);

/** All kinds, gwc's own first. */
export const adminKinds = (): readonly AdminKind[] => [...ADMIN_KINDS.values()];

/** Reports whether kinds have paths of two segments that begin so. */
export const isFolder = (segment: string): boolean => folders.has(segment);

export const adminKind = (segment: string): AdminKind | undefined => bySegment.get(segment);

/** Path of a kind's resources. */
export const pathOf = (segment: string): string => adminKind(segment)?.path ?? segment;

/** A kind as it begins a path. */
export interface NamedKind {
  /** As written: "routes", "captcha/site-keys". */
  path: string;
  kind: AdminKind | undefined;
  /** Segments behind it: the id, and those below the resource. */
  rest: string[];
}

/** Reads the kind that segments of a path begin with; one in a folder takes two segments. */
export function namedKind(segments: readonly string[]): NamedKind {
  const length = isFolder(segments[0] ?? "") ? 2 : 1;
  const path = segments.slice(0, length).join("/");
  return { path, kind: ADMIN_KINDS.get(path), rest: segments.slice(length) };
}

/** Name of a kind's schema ("route", "captcha_site_key") for its path; the singular is understood too. */
export function schemaName(path: string): string {
  const name = path.replaceAll(/[/-]/g, "_");
  return name === "plugin_metadata" ? name : name.replace(/s$/, "");
}
