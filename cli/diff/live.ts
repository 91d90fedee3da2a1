import type { StoredResource } from "../../compiler/model/input.js";
import { adminPath, kinds } from "../../compiler/model/resource.js";
import type { SourceText } from "../../compiler/model/source.js";
import { rejectionReport } from "../../compiler/report/rejection-report.js";
import { callAdminApi, KEY_SOURCES, NoAdminReplyError } from "../../runtime/abi/admin-call.js";
import { mapMembers } from "../../runtime/abi/json-object.js";
import { DiffInputError, type Side } from "./side.js";

type Value = Record<string, unknown>;

interface Item {
  kind: string;
  id: string;
  value: Value;
  /** Location in a file; undefined for a resource of the store. */
  place: string | undefined;
}

/** Configuration of a running gateway, as its admin API returns it. */
export interface LiveConfiguration {
  /** Resources of its files in their order, which breaks ties between routes. */
  source: SourceText;
  stored: StoredResource[];
  /** Locations ("shop.yaml:31:9") by name ("routes/shop"). */
  places: ReadonlyMap<string, string>;
}

/** Form of a secret in responses of the admin API. */
const MASK = /^\*{3}[0-9a-f]{8}$/;
const ADDED = ["create_time", "update_time"];

/**
 * @param other its secrets replace the masked ones
 * @throws DiffInputError
 */
export async function readLive(
  address: string,
  key: string | undefined,
  other: Pick<Side, "resources"> | undefined,
): Promise<LiveConfiguration> {
  if (key === undefined) throw new DiffInputError(`the admin API of ${address} needs a key: ${KEY_SOURCES}`);
  const known = new Map(other?.resources.map((one) => [`${one.kind}/${one.id}`, one.value]));
  const items: Item[] = [];
  for (const kind of kinds()) items.push(...(await itemsOf(address, key, kind)));
  const whole = items.flatMap((item) => {
    const other = known.get(`${item.kind}/${item.id}`);
    const keys = "cert" in item.value ? keysOf((other ?? {}) as Value) : {};
    const value: Value = { ...keys, ...(withSecrets(item.value, other) as Value) };
    // A certificate cannot be compiled without its key, and the other side does not have it either.
    return item.kind === "ssls" && !("key" in value || "key_file" in value) ? [] : [{ ...item, value }];
  });
  const files = whole.filter(({ place }) => place !== undefined);
  const document: Record<string, unknown[]> = {};
  for (const { kind, id, value } of files)
    (document[kind] ??= []).push(kind === "consumers" ? value : { ...value, id });
  return {
    source: { name: address, text: JSON.stringify(document, null, 2), format: "json" },
    stored: whole
      .filter(({ place }) => place === undefined)
      .map(({ kind, id, value }) => ({ kind, id, value })),
    places: new Map(files.map(({ kind, id, place = "" }) => [`${kind}/${id}`, place])),
  };
}

async function itemsOf(address: string, key: string, kind: string): Promise<Item[]> {
  const path = adminPath(kind);
  const { status, isOk, text } = await callAdminApi({ admin: address, path, key }).catch((error: unknown) => {
    throw error instanceof NoAdminReplyError ? new DiffInputError(error.message) : error;
  });
  if (status === 404) return [];
  const asked = `${address.replace(/\/+$/, "")}/gw/admin/${path}`;
  if (!isOk) throw new DiffInputError(`${asked} replied`, rejectionReport({ status, text }));
  const { list } = JSON.parse(text) as { list: { key: string; value: Value; static?: string }[] };
  return list.map(({ key: name, value, static: place }) => {
    const kept = Object.entries(value).filter(([field]) => !ADDED.includes(field));
    const id = decodeURIComponent(name.slice(name.lastIndexOf("/") + 1));
    return { kind, id, value: Object.fromEntries(kept), place };
  });
}

/** Keys of a certificate, which the API omits. */
const keysOf = ({ key, keys }: Value): Value => ({
  ...(key !== undefined && { key }),
  ...(keys !== undefined && { keys }),
});

/** Replaces masks by the texts of the other side. */
function withSecrets(value: unknown, other: unknown): unknown {
  if (typeof value === "string") return MASK.test(value) && typeof other === "string" ? other : value;
  const beside = typeof other === "object" && other !== null ? (other as Value) : {};
  return mapMembers(value, (member, key) => withSecrets(member, beside[key]));
}
