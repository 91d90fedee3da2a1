import { useQueries } from "@tanstack/react-query";
import i18next from "i18next";
import { AdminError } from "./client";
import { changeOf, idOf, type Kind, listQuery, patch, type Resource, read, tagOf } from "./resources";

/** Field by which other resources name one of a kind. */
interface NamedBy {
  field: string;
  kinds: readonly Kind[];
}

const NAMED_BY: Partial<Readonly<Record<Kind, NamedBy>>> = {
  plugin_configs: { field: "plugin_config_id", kinds: ["routes", "services"] },
  services: { field: "service_id", kinds: ["routes"] },
  upstreams: { field: "upstream_id", kinds: ["routes", "services"] },
};

const namedBy = (kind: Kind): NamedBy => NAMED_BY[kind] ?? { field: "", kinds: [] };

export const canBeNamed = (kind: Kind): boolean => NAMED_BY[kind] !== undefined;

export interface Referrer {
  kind: Kind;
  id: string;
  /** Id of the resource that it names now, in the same field. */
  names: unknown;
  /** It is in a file, so that it cannot be changed here. */
  fromFile: boolean;
  resource: Resource;
}

export interface Referrers {
  loaded: boolean;
  users: Referrer[];
  /** Resources that could name it, and can be changed here. */
  others: Referrer[];
  /** Number of resources in files that could name it; they are changed in their files. */
  filed: number;
}

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
    filed: all.filter((one) => !isUser(one) && one.fromFile).length,
  };
}

const referrer = (kind: Kind, resource: Resource, field: string): Referrer => ({
  kind,
  id: idOf(resource),
  names: resource.value[field],
  fromFile: resource.static !== undefined,
  resource,
});

/** Number of routes that a change affects: the selected ones, and those of selected services. */
export function routesAmong(chosen: readonly Referrer[], routes: readonly Resource[]): number {
  const ids = (kind: Kind) => new Set(chosen.filter((one) => one.kind === kind).map(({ id }) => id));
  const [own, services] = [ids("routes"), ids("services")];
  return routes.filter((one) => own.has(idOf(one)) || services.has(String(one.value["service_id"]))).length;
}

export interface Attached {
  changes: number[];
  /** Resources that were not changed, with the reason. */
  refused: { referrer: Referrer; error: unknown }[];
}

/**
 * Writes one resource after the other. One that meanwhile names another is left unchanged.
 * @param id null removes the name
 */
export async function attach(
  kind: Kind,
  id: string | null,
  to: readonly Referrer[],
  onStep: (done: number) => void,
): Promise<Attached> {
  const { field } = namedBy(kind);
  const changes: number[] = [];
  const refused: Attached["refused"] = [];
  for (const [at, referrer] of to.entries()) {
    onStep(at);
    try {
      changes.push(...(await rename(referrer, field, id)));
    } catch (error) {
      refused.push({ referrer, error });
    }
  }
  return { changes, refused };
}

/** Tolerates later changes of other fields; only the name must still be the shown one. */
async function rename(
  { kind, id, names, resource }: Referrer,
  field: string,
  named: string | null,
): Promise<number[]> {
  const body = { [field]: named };
  try {
    return changeOf(await patch(kind, id, body, tagOf(resource)));
  } catch (error) {
    if (!(error instanceof AdminError) || error.status !== 412) throw error;
  }
  const { resource: now } = await read(kind, id);
  const other = now.value[field];
  if (other === (named ?? undefined)) return [];
  if (other !== names)
    throw new Error(
      other === undefined ? i18next.t("uses.names_no_more") : i18next.t("uses.names_now", { name: other }),
    );
  return changeOf(await patch(kind, id, body, tagOf(now)));
}
