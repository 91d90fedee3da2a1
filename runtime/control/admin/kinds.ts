import type { Kind } from "../../../compiler/resolve/resource.js";
import { isReservedSiteKey, SITE_KEY } from "../../abi/captcha.js";

/** How a kind of resource behaves under `/gw/admin/{path}`; reference section 1.3. */
export interface AdminKind {
  segment: Kind;
  /** "routes", "captcha/site-keys". */
  path: string;
  /** As messages call it. */
  label: string;
  post: boolean;
  patch: boolean;
  /** Where an id comes from: path or `id` of the body; `username` of the body; the plugin's name in the path. */
  identity: "id" | "username" | "plugin";
  /** Whether an id may be one; another is put into the text of a write for the schema to refuse. */
  fitting: (id: string) => boolean;
}

const kind = (segment: Kind, label: string, more: Partial<AdminKind> = {}): AdminKind => ({
  segment,
  path: pathOf(segment),
  label,
  post: true,
  patch: true,
  identity: "id",
  fitting: (id) => /^[A-Za-z0-9\-_.]{1,64}$/.test(id),
  ...more,
});

export const ADMIN_KINDS: ReadonlyMap<string, AdminKind> = new Map(
  [
    kind("routes", "route"),
    kind("services", "service"),
    kind("upstreams", "upstream"),
    kind("plugin_configs", "plugin config", { post: false }),
    kind("global_rules", "global rule", { post: false }),
    kind("plugin_metadata", "plugin_metadata", { post: false, patch: false, identity: "plugin" }),
    kind("consumers", "consumer", { post: false, patch: false, identity: "username" }),
    kind("ssls", "ssl"),
    kind("captcha_customers", "captcha customer"),
    kind("captcha_site_keys", "captcha site key", { fitting: isSiteKey }),
    kind("captcha_api_keys", "captcha api key", { fitting: () => false }),
  ].map((entry) => [entry.path, entry]),
);

function isSiteKey(id: string): boolean {
  return SITE_KEY.test(id) && !isReservedSiteKey(id);
}

/** Where a kind's resources are: those of the captcha have a folder of their own. */
export function pathOf(kind: string): string {
  return kind.startsWith("captcha_") ? `captcha/${kind.slice(8).replaceAll("_", "-")}` : kind;
}

/** A kind as it begins a path. */
export interface NamedKind {
  /** As written: "routes", "captcha/site-keys". */
  path: string;
  kind: AdminKind | undefined;
  /** What follows it: the id, and what is below the resource. */
  rest: string[];
}

/** Reads the kind that segments of a path begin with; those of the captcha take two segments. */
export function namedKind(segments: readonly string[]): NamedKind {
  const length = segments[0] === "captcha" ? 2 : 1;
  const path = segments.slice(0, length).join("/");
  return { path, kind: ADMIN_KINDS.get(path), rest: segments.slice(length) };
}

/** Name of a kind's schema ("route", "captcha_site_key") for its path; the singular is understood too. */
export function schemaName(path: string): string {
  const name = path.replace(/^captcha\//, "captcha_").replaceAll("-", "_");
  return name === "plugin_metadata" ? name : name.replace(/s$/, "");
}
