type Value = Readonly<Record<string, unknown>>;

/** Values of a resource that others inherit by naming it. */
export interface Brought {
  plugins: string;
  hosts: readonly string[];
}

/** Searchable parts of a resource that no cell shows in this form, in lower case. */
interface Places {
  /** Plugins of its plugin config and service. */
  brought: string;
  /** Hosts that it serves: its own, else those of its service. */
  hosts: readonly string[];
  /** Undefined if it restricts none. */
  methods: readonly string[] | undefined;
  labels: readonly (readonly [key: string, value: string])[];
}

export interface Sought extends Places {
  cells: Readonly<Record<"id" | "paths" | "plugins" | "status", string>>;
  /** Text for words without a prefix, in lower case. */
  words: string;
}

const lower = (value: unknown): string => String(value).toLowerCase();

export const hostsOf = ({ host, hosts }: Value): string[] => [host ?? [], hosts ?? []].flat().map(lower);

export function searchedParts(
  value: Value,
  service: Brought | undefined,
  config: Brought | undefined,
): Places {
  const own = hostsOf(value);
  const { methods, labels } = value;
  return {
    brought: lower(`${config?.plugins ?? ""}, ${service?.plugins ?? ""}`),
    hosts: own.length > 0 ? own : (service?.hosts ?? []),
    methods: Array.isArray(methods) && methods.length > 0 ? methods.map(lower) : undefined,
    labels: Object.entries((labels as object | undefined) ?? {}).map(([key, text]) => [
      lower(key),
      lower(text),
    ]),
  };
}

type Look = (row: Sought, text: string) => boolean;

const NARROWED: ReadonlyMap<string, Look> = new Map<string, Look>([
  [
    "plugin",
    ({ cells, brought }, text) => cells.plugins.toLowerCase().includes(text) || brought.includes(text),
  ],
  ["method", takesMethod],
  ["host", ({ hosts }, text) => hosts.some((host) => host.includes(text) || isWithin(text, host))],
  ["label", hasLabel],
  ["status", ({ cells }, text) => cells.status.startsWith(text)],
  ["path", ({ cells }, text) => cells.paths.toLowerCase().includes(text)],
  ["id", ({ cells }, text) => cells.id.toLowerCase().includes(text)],
]);

/** A route without methods accepts all; a resource without paths is no route. */
function takesMethod({ methods, cells }: Sought, text: string): boolean {
  return methods === undefined ? cells.paths !== "" : methods.includes(text);
}

/** "env" matches any value, "env=prod" and "env:prod" this value only: neither matches a part of "env=production". */
function hasLabel({ labels }: Sought, text: string): boolean {
  return labels.some(
    ([key, value]) => text === key || text === `${key}=${value}` || text === `${key}:${value}`,
  );
}

/** Reports whether a host matches a wildcard with a leading *. */
const isWithin = (host: string, wildcard: string): boolean =>
  wildcard.startsWith("*") && host.length >= wildcard.length && host.endsWith(wildcard.slice(1));

/** Rows must match every word; `plugin:syslog` searches plugins, own and inherited ones, `label:team=a` labels. */
export function filtered<Row extends Sought>(rows: readonly Row[], query: string): readonly Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const holds = words.map(holding);
  return rows.filter((row) => holds.every((one) => one(row)));
}

function holding(word: string): (row: Sought) => boolean {
  const [, place = "", text = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
  const look = NARROWED.get(place);
  return look === undefined ? ({ words }) => words.includes(word) : (row) => look(row, text);
}
