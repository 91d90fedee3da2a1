import { useQueries } from "@tanstack/react-query";
import { idOf, type Kind, listQuery, patch, type Resource } from "./resources";

/** How resources of a kind are named by others. */
interface NamedBy {
  field: string;
  /** Kinds that have the field. */
  kinds: readonly Kind[];
}

const NAMED_BY: Partial<Readonly<Record<Kind, NamedBy>>> = {
  plugin_configs: { field: "plugin_config_id", kinds: ["routes", "services"] },
  services: { field: "service_id", kinds: ["routes"] },
  upstreams: { field: "upstream_id", kinds: ["routes", "services"] },
};

const namedBy = (kind: Kind): NamedBy => NAMED_BY[kind] ?? { field: "", kinds: [] };

/** Whether others can name a resource of this kind. */
export const canBeNamed = (kind: Kind): boolean => NAMED_BY[kind] !== undefined;

/** A resource that names, or could name, another. */
export interface Referrer {
  kind: Kind;
  id: string;
  /** What it names now, by the same field. */
  names: unknown;
  /** A file says it, so that it cannot be changed here. */
  fromFile: boolean;
}

export interface Referrers {
  loaded: boolean;
  /** Those that name the resource. */
  users: Referrer[];
  /** Those that could. */
  others: Referrer[];
}

/** Who names a resource, and who could. */
export function useReferrers(kind: Kind, id: string): Referrers {
  const { field, kinds } = namedBy(kind);
  const lists = useQueries({ queries: kinds.map((one) => listQuery(one)) });
  const all = lists.flatMap(({ data }, at) =>
    (data ?? []).map((resource) => referrer(kinds[at] ?? kind, resource, field)),
  );
  const isUser = ({ names }: Referrer) => names !== undefined && String(names) === id;
  return {
    loaded: lists.every(({ data }) => data !== undefined),
    users: all.filter(isUser),
    others: all.filter((one) => !isUser(one) && !one.fromFile),
  };
}

const referrer = (kind: Kind, resource: Resource, field: string): Referrer => ({
  kind,
  id: idOf(resource),
  names: resource.value[field],
  fromFile: resource.static !== undefined,
});

/**
 * Has each name the resource, one after the other.
 * @returns numbers of the changes that were made, and why the others were not
 */
export async function attach(kind: Kind, id: string, to: readonly Referrer[]) {
  const { field } = namedBy(kind);
  const changes: number[] = [];
  const refused: { referrer: Referrer; error: unknown }[] = [];
  for (const referrer of to) {
    try {
      changes.push(...(await patch(referrer.kind, referrer.id, { [field]: id })));
    } catch (error) {
      refused.push({ referrer, error });
    }
  }
  return { changes, refused };
}
