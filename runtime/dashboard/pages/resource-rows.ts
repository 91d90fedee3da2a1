import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { idOf, type Kind, listQuery, type Resource, type Value } from "../api/resources";
import { type Brought, hostsOf, type Sought, searchedParts } from "./row-filter";

export interface Row extends Sought {
  id: string;
  cells: Readonly<Record<Column, string>>;
  enabled: boolean;
  resource: Resource;
}

export type Column =
  | "id"
  | "name"
  | "paths"
  | "methods"
  | "hosts"
  | "plugins"
  | "refers"
  | "nodes"
  | "type"
  | "health"
  | "expires"
  | "snis"
  | "status"
  | "origin";

/** Columns of each kind, with the share of the width of each. */
export const COLUMNS: Readonly<Record<Kind, Partial<Record<Column, string>>>> = {
  routes: {
    ...{ id: "1.2fr", paths: "1.6fr", methods: "0.8fr", hosts: "1fr", plugins: "1.4fr", refers: "1.6fr" },
    ...{ status: "90px", origin: "1fr" },
  },
  services: {
    ...{ id: "1fr", name: "1fr", hosts: "1fr", plugins: "1.5fr", refers: "1fr", health: "190px" },
    origin: "1fr",
  },
  upstreams: { id: "1fr", name: "1fr", type: "120px", nodes: "2fr", health: "190px", origin: "1fr" },
  plugin_configs: { id: "1fr", name: "1fr", plugins: "2fr", origin: "1fr" },
  global_rules: { id: "1fr", plugins: "2fr", origin: "1fr" },
  plugin_metadata: { id: "1fr", origin: "1fr" },
  consumers: { id: "1fr", plugins: "2fr", origin: "1fr" },
  // The expiry is visible on a phone.
  ssls: { id: "1fr", expires: "190px", snis: "2fr", status: "90px", origin: "1fr" },
};

/** Prefixes that narrow a search, by kind, the most used first. */
export const NARROWED_BY: Readonly<Record<Kind, readonly string[]>> = {
  routes: ["plugin:", "method:", "host:", "status:", "label:"],
  services: ["plugin:", "host:", "label:"],
  upstreams: ["id:", "label:"],
  plugin_configs: ["plugin:", "label:"],
  global_rules: ["plugin:", "id:"],
  plugin_metadata: ["id:"],
  consumers: ["plugin:", "label:"],
  ssls: ["status:", "label:"],
};

const texts = (...values: unknown[]): string =>
  values
    .flat()
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(", ");

/** Nodes as "host:port × weight", from a map or a list. */
function nodesOf({ nodes }: Value): string {
  if (Array.isArray(nodes))
    return texts(
      nodes.map(({ host, port, weight }) => `${host}${port === undefined ? "" : `:${port}`} × ${weight}`),
    );
  return texts(
    Object.entries((nodes as object | undefined) ?? {}).map(([node, weight]) => `${node} × ${weight}`),
  );
}

const refersOf = ({ service_id, upstream_id, plugin_config_id, upstream }: Value): string =>
  texts(
    service_id === undefined ? undefined : `service ${service_id}`,
    upstream_id === undefined ? undefined : `upstream ${upstream_id}`,
    plugin_config_id === undefined ? undefined : `plugin_config ${plugin_config_id}`,
    // An upstream id takes precedence over an inline upstream, which is unused then.
    upstream === undefined || upstream_id !== undefined ? undefined : nodesOf(upstream as Value),
  );

const pluginsOf = ({ plugins }: Value): string => texts(Object.keys((plugins as object | undefined) ?? {}));

/** Values that routes inherit, by "plugin_config 1" and "service 1". */
export type Bringers = ReadonlyMap<string, Brought>;

/** @param services may name plugin configs */
function bringersOf(configs: readonly Resource[], services: readonly Resource[]): Bringers {
  const brought = new Map<string, Brought>(
    configs.map((one) => [`plugin_config ${idOf(one)}`, { plugins: pluginsOf(one.value), hosts: [] }]),
  );
  for (const one of services) {
    const { plugins = "" } = brought.get(`plugin_config ${one.value["plugin_config_id"]}`) ?? {};
    const all = `${pluginsOf(one.value)}, ${plugins}`;
    brought.set(`service ${idOf(one)}`, { plugins: all, hosts: hostsOf(one.value) });
  }
  return brought;
}

/** One row for each resource, with its words prepared: a search of 10,000 takes some milliseconds. */
export function rowsOf(list: readonly Resource[], bringers: Bringers): Row[] {
  return list.map((resource) => {
    const { value } = resource;
    const enabled = value["status"] !== 0;
    const cells = {
      id: idOf(resource),
      name: texts(value["name"]),
      paths: texts(value["uri"], value["uris"]),
      methods: texts(value["methods"]),
      hosts: texts(value["host"], value["hosts"]),
      plugins: pluginsOf(value),
      refers: refersOf(value),
      nodes: nodesOf(value),
      health: "",
      expires: "",
      type: texts(value["type"] ?? "roundrobin"),
      snis: texts(value["sni"], value["snis"]),
      status: enabled ? "enabled" : "disabled",
      origin: resource.static ?? "",
    };
    const service = bringers.get(`service ${value["service_id"]}`);
    const config = bringers.get(`plugin_config ${value["plugin_config_id"]}`);
    const places = searchedParts(value, service, config);
    const labels = places.labels.map(([key, text]) => `${key}=${text}`);
    const said = [...Object.values(cells), texts(value["desc"]), places.brought, ...places.hosts, ...labels];
    return { id: cells.id, cells, enabled, resource, ...places, words: said.join("\n").toLowerCase() };
  });
}

/** @param sort name of a column; a leading "-" sorts in descending order */
export function sorted(rows: readonly Row[], sort: string | undefined): readonly Row[] {
  if (sort === undefined) return rows;
  const column = sort.replace(/^-/, "") as Column;
  const direction = sort.startsWith("-") ? -1 : 1;
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return [...rows].sort((a, b) => direction * compare(a.cells[column] ?? "", b.cells[column] ?? ""));
}

/** Values that routes and services inherit, for searches; other kinds fetch nothing. */
export function useBringers(...kinds: readonly Kind[]): Bringers {
  const hasRoutes = kinds.includes("routes");
  const enabled = hasRoutes || kinds.includes("services");
  const { data: configs } = useQuery({ ...listQuery("plugin_configs"), enabled });
  const { data: services } = useQuery({ ...listQuery("services"), enabled: hasRoutes });
  return useMemo(() => bringersOf(configs ?? [], services ?? []), [configs, services]);
}
