import { entryOf, ORIGINS, originOfChange } from "../history/history.js";
import type { ListedChange, StoredResource } from "../store/store.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { adminKinds, namedKind, pathOf, schemaName } from "./kinds.js";
import { keyOf, openValue, shown } from "./list.js";
import { NUMBER_OF_CHANGE, previewRevert, readChange } from "./revert.js";
import type { WriteParts } from "./write.js";

type HistoryParts = Pick<WriteParts, "configuration" | "now">;

export const DEFAULT_LIMIT = 50;
export const LARGEST_LIMIT = 500;

/** Serves `GET /gw/admin/history?limit&before&kind&id&origin`: changes, newest first. */
export function listHistory({ configuration }: HistoryParts, query: URLSearchParams): ApiResponse {
  const { history } = configuration;
  const limit = query.get("limit") ?? String(DEFAULT_LIMIT);
  if (!NUMBER_OF_CHANGE.test(limit) || Number(limit) > LARGEST_LIMIT)
    return failure(400, `invalid argument limit: should be 1 to ${LARGEST_LIMIT}`);
  const before = query.get("before");
  if (before !== null && !NUMBER_OF_CHANGE.test(before))
    return failure(400, "invalid argument before: should be the number of a change");
  const origin = query.get("origin");
  if (origin !== null && !ORIGINS.some((one) => one === origin))
    return failure(400, `invalid argument origin: should be ${ORIGINS.join(" or ")}`);
  const path = query.get("kind");
  const { kind, rest } = namedKind(path?.split("/") ?? []);
  if (path !== null && (kind === undefined || rest.length > 0))
    return failure(400, `invalid argument kind: ${unknownKind(path)}`);
  const { entries, more } = history.page({
    limit: Number(limit),
    before: before === null ? undefined : Number(before),
    kind: kind?.segment,
    id: query.get("id") ?? undefined,
    origin: ORIGINS.find((one) => one === origin),
    matches: searched(query.get("search") ?? ""),
  });
  return json(200, { list: entries.map(told), more, kept: history.size });
}

/** Returns a filter: each word must occur in resource, location, key, address, note, deed or fields. */
function searched(text: string): ((entry: ListedChange) => boolean) | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return ({ kind, id, place, key, address, note, changed, did }) => {
    const all = [`${pathOf(kind)}/${id}`, place, key, address, note, did, ...changed]
      .join("\n")
      .toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

function unknownKind(path: string): string {
  const { kind, path: begun, rest } = namedKind(path.split("/"));
  const known = adminKinds();
  const meant = known.find((one) => schemaName(one.path) === schemaName(path.toLowerCase()));
  const suggested =
    kind !== undefined
      ? `did you mean kind=${begun}&id=${rest.join("/")}?`
      : meant !== undefined
        ? `did you mean "${meant.path}"?`
        : `known kinds: ${known.map((one) => one.path).join(", ")}`;
  return `unknown kind "${path}"; ${suggested}`;
}

export const VERSIONS = ["before", "after"] as const;

/**
 * Serves `GET /gw/admin/history/{n}`: one change with the resource before and after, and the result of
 * reverting it now, secrets masked. `?version=before` returns only that version, as a read of the resource.
 */
export async function oneChange(
  parts: HistoryParts,
  number: string,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const { redaction } = parts.configuration;
  const found = await readChange(parts.configuration, number);
  if ("answer" in found) return found.answer;
  const { record } = found;
  const asked = query.get("version");
  if (asked !== null) {
    const version = VERSIONS.find((one) => one === asked);
    if (version === undefined)
      return failure(400, `invalid argument version: should be ${VERSIONS.join(" or ")}`);
    const resource = record[version];
    return resource ? json(200, shown(resource, redaction)) : json(404, { message: "Key not found" });
  }
  const value = (resource: StoredResource | null) => resource && openValue(resource, redaction);
  return json(200, {
    ...told(entryOf(record)),
    before: value(record.before),
    after: value(record.after),
    ...previewRevert(parts, record),
  });
}

const told = ({ kind, id, ...entry }: ListedChange): object => ({
  ...entry,
  origin: originOfChange(entry),
  kind: pathOf(kind),
  id,
  resource: keyOf({ kind, id }),
});
