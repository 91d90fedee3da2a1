import { idOf, type Kind, type Resource, type Value } from "../api/resources";

/** A resource as a line of its list. */
export interface Row {
  id: string;
  /** Text of each column of its kind. */
  cells: Readonly<Record<Column, string>>;
  enabled: boolean;
  resource: Resource;
  /** Plugins that its plugin configuration and its service bring, in lower case. */
  brought: string;
  /** Everything that the search looks at, in lower case. */
  words: string;
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

/** Columns of each kind, with the share of the width that each takes. */
export const COLUMNS: Readonly<Record<Kind, readonly [Column, string][]>> = {
  routes: [
    ["id", "1.2fr"],
    ["paths", "1.6fr"],
    ["methods", "0.8fr"],
    ["hosts", "1fr"],
    ["plugins", "1.4fr"],
    ["refers", "1.6fr"],
    ["status", "90px"],
    ["origin", "1fr"],
  ],
  services: [
    ["id", "1fr"],
    ["name", "1fr"],
    ["hosts", "1fr"],
    ["plugins", "1.5fr"],
    ["refers", "1fr"],
    ["origin", "1fr"],
  ],
  upstreams: [
    ["id", "1fr"],
    ["name", "1fr"],
    ["type", "120px"],
    ["nodes", "2fr"],
    ["health", "170px"],
    ["origin", "1fr"],
  ],
  plugin_configs: [
    ["id", "1fr"],
    ["name", "1fr"],
    ["plugins", "2fr"],
    ["origin", "1fr"],
  ],
  global_rules: [
    ["id", "1fr"],
    ["plugins", "2fr"],
    ["origin", "1fr"],
  ],
  plugin_metadata: [
    ["id", "1fr"],
    ["origin", "1fr"],
  ],
  consumers: [
    ["id", "1fr"],
    ["plugins", "2fr"],
    ["origin", "1fr"],
  ],
  ssls: [
    ["id", "1fr"],
    ["snis", "2fr"],
    ["expires", "190px"],
    ["status", "90px"],
    ["origin", "1fr"],
  ],
};

const texts = (...values: unknown[]): string =>
  values
    .flat()
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(", ");

/** Nodes as "host:port × weight", of either form. */
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
    // An upstream by its id comes before one of its own, which is not used then.
    upstream === undefined || upstream_id !== undefined ? undefined : nodesOf(upstream as Value),
  );

const labelsOf = ({ labels }: Value): string[] =>
  Object.entries((labels as object | undefined) ?? {}).map(([name, value]) => `label:${name}=${value}`);

const pluginsOf = ({ plugins }: Value): string => texts(Object.keys((plugins as object | undefined) ?? {}));

/** What routes have from others, by "plugin_config 1" and "service 1": names of plugins. */
export type Bringers = ReadonlyMap<string, string>;

/** @param configs plugin configurations; @param services which may name one of them */
export function bringersOf(configs: readonly Resource[], services: readonly Resource[]): Bringers {
  const brought = new Map(configs.map((one) => [`plugin_config ${idOf(one)}`, pluginsOf(one.value)]));
  for (const one of services) {
    const named = brought.get(`plugin_config ${one.value["plugin_config_id"]}`) ?? "";
    brought.set(`service ${idOf(one)}`, `${pluginsOf(one.value)}, ${named}`);
  }
  return brought;
}

const NOBODY: Bringers = new Map();

/** One line for each resource, its words made once: 10,000 are searched in some milliseconds. */
export function rowsOf(list: readonly Resource[], bringers: Bringers = NOBODY): Row[] {
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
    const brought = [`plugin_config ${value["plugin_config_id"]}`, `service ${value["service_id"]}`]
      .map((one) => bringers.get(one) ?? "")
      .join(", ")
      .toLowerCase();
    const words = [...Object.values(cells), brought, texts(value["desc"]), ...labelsOf(value)]
      .join("\n")
      .toLowerCase();
    return { id: cells.id, cells, enabled, resource, brought, words };
  });
}

const NARROWED: ReadonlyMap<string, Column> = new Map([
  ["plugin", "plugins"],
  ["method", "methods"],
  ["host", "hosts"],
  ["status", "status"],
  ["path", "paths"],
  ["id", "id"],
]);

/** Rows that hold every word; `plugin:syslog` looks at plugins alone, a row's own and those brought, `label:team=a` at labels. */
export function filtered(rows: readonly Row[], query: string): readonly Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const holds = words.map(holding);
  return rows.filter((row) => holds.every((one) => one(row)));
}

function holding(word: string): (row: Row) => boolean {
  const [, column = "", rest = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
  const narrowed = NARROWED.get(column);
  return narrowed === undefined
    ? ({ words }) => words.includes(word)
    : ({ cells, brought }) =>
        cells[narrowed].toLowerCase().includes(rest) || (narrowed === "plugins" && brought.includes(rest));
}

/** @param sort a column's name; with "-" before it from the end */
export function sorted(rows: readonly Row[], sort: string | undefined): readonly Row[] {
  if (sort === undefined) return rows;
  const column = sort.replace(/^-/, "") as Column;
  const direction = sort.startsWith("-") ? -1 : 1;
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  return [...rows].sort((a, b) => direction * compare(a.cells[column] ?? "", b.cells[column] ?? ""));
}
