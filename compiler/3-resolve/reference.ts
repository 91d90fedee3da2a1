import { findKind, type Kind, type PluginKind, pluginKinds, type Resource } from "../model/resource.js";

export interface Reference {
  field: string;
  kind: Kind;
  /** 1 and "1" are equal. */
  id: string;
}

type Field = NonNullable<PluginKind["references"]>[number];

const UNAVAILABLE = "requests that need it are rejected with 503";
const OF_ROUTES: readonly Field[] = [
  { field: "service_id", kind: "services", loss: "every request is rejected with 404" },
  { field: "plugin_config_id", kind: "plugin_configs", loss: UNAVAILABLE },
  { field: "upstream_id", kind: "upstreams", loss: UNAVAILABLE },
];

function fieldsOf(kind: Kind): readonly Field[] {
  return kind === "routes" || kind === "services" ? OF_ROUTES : (findKind(kind)?.references ?? []);
}

export function referredKinds(): ReadonlySet<Kind> {
  const ofPlugins = pluginKinds().flatMap(({ references = [] }) => references);
  return new Set([...OF_ROUTES, ...ofPlugins].map(({ kind }) => kind));
}

/** Effect on requests if the named resource was deleted by force. */
export function effectOfLoss(kind: Kind, name: string): string {
  return fieldsOf(kind).find(({ field }) => field === name)?.loss ?? "";
}

/** Keeps the order in which references are reported. */
export function references(resource: Resource): Reference[] {
  const value = resource.value as Record<string, unknown>;
  const found: Reference[] = [];
  for (const { field, kind } of fieldsOf(resource.kind)) {
    const id = value[field];
    if (id !== undefined) found.push({ field, kind, id: String(id) });
  }
  return found;
}
