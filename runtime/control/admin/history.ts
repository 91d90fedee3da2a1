import type { Write } from "../change.js";
import { entryOf } from "../history/history.js";
import type { ChangeOrigin, HistoryEntry, HistoryRecord, ListedChange } from "../store/store.js";
import { type StoredResource, StoreError } from "../store/store.js";
import { type Answer, failure, json } from "./answer.js";
import { adminKind, adminKinds, namedKind, pathOf, schemaName } from "./kinds.js";
import { keyOf, openValue, shown } from "./list.js";
import { change, type WriteParts, type WriteRequest } from "./write.js";

type HistoryParts = Pick<WriteParts, "configuration" | "now">;

export const DEFAULT_LIMIT = 50;
export const LARGEST_LIMIT = 500;
const NUMBER = /^[1-9]\d{0,14}$/;

/** `GET /gw/admin/history?limit&before&kind&id`: changes, newest first. */
export function listHistory({ configuration }: HistoryParts, query: URLSearchParams): Answer {
  const { history } = configuration;
  const limit = query.get("limit") ?? String(DEFAULT_LIMIT);
  if (!NUMBER.test(limit) || Number(limit) > LARGEST_LIMIT)
    return failure(400, `invalid argument limit: should be 1 to ${LARGEST_LIMIT}`);
  const before = query.get("before");
  if (before !== null && !NUMBER.test(before))
    return failure(400, "invalid argument before: should be the number of a change");
  const path = query.get("kind");
  const { kind, rest } = namedKind(path?.split("/") ?? []);
  if (path !== null && (kind === undefined || rest.length > 0))
    return failure(400, `invalid argument kind: ${unknownKind(path)}`);
  const { entries, more } = history.page({
    limit: Number(limit),
    before: before === null ? undefined : Number(before),
    kind: kind?.segment,
    id: query.get("id") ?? undefined,
    matches: searched(query.get("search") ?? ""),
  });
  return json(200, { list: entries.map(told), more, kept: history.size });
}

/** Every word must be in the resource, the key's name, the address, the note or a field that has changed. */
function searched(text: string): ((entry: ListedChange) => boolean) | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return ({ kind, id, key, address, note, changed, did }) => {
    const all = [`${pathOf(kind)}/${id}`, key, address, note, did, ...changed].join("\n").toLowerCase();
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
        : `there are ${known.map((one) => one.path).join(", ")}`;
  return `there is no kind "${path}"; ${suggested}`;
}

/** `GET /gw/admin/history/{n}`: one change with the resource before and after, secrets masked. */
export function oneChange({ configuration }: HistoryParts, number: string): Answer {
  const found = read(configuration.history, number);
  if ("answer" in found) return found.answer;
  const { before, after } = found.record;
  const { redaction } = configuration;
  const value = (resource: StoredResource | null) => resource && openValue(resource, redaction);
  return json(200, {
    ...told(entryOf(found.record)),
    before: value(before),
    after: value(after),
    // Whether a revert would take back what is there now.
    current: isCurrent(configuration, found.record),
  });
}

/** What a revert is asked with. */
export interface RevertRequest extends Pick<WriteRequest, "origin" | "condition" | "dryRun" | "force"> {
  /** Newer changes are taken back with it. */
  over: boolean;
}

/**
 * `POST /gw/admin/history/{n}/revert`: the resource becomes what it was before the change, secrets included; `update_time` is that of
 * the revert, and a time that is over is not set again. 409 with both versions where it has changed since, unless `over`.
 */
export function revert(parts: HistoryParts, number: string, asked: RevertRequest): Answer | Promise<Answer> {
  const found = read(parts.configuration.history, number);
  if ("answer" in found) return found.answer;
  const { record } = found;
  const { kind: segment, id } = record;
  const kind = adminKind(segment);
  if (kind === undefined) return failure(400, `Unsupported resource type: ${segment}`);
  const { force, over, dryRun, condition } = asked;
  const origin: ChangeOrigin = {
    ...asked.origin,
    method: record.before === null ? "DELETE" : "PUT",
    reverts: record.number,
  };
  return change(parts, { kind, condition, dryRun, origin }, id, () => {
    const current = currentOf(parts.configuration, record);
    if (!over && !isCurrent(parts.configuration, record))
      return { answer: changedSince(parts, record, current) };
    if (record.before === null && current === undefined)
      return { answer: failure(404, `${pathOf(segment)}/${id} is gone already`) };
    return takenBack(record, parts.now(), force);
  });
}

/** @param force as for DELETE: a resource that others name goes too */
function takenBack({ kind, id, before }: HistoryRecord, now: number, force: boolean): Write {
  if (before?.value === null || before === null) return { remove: { kind, id, force } };
  const { value, expires } = before;
  const stamped = value["update_time"] === undefined ? value : { ...value, update_time: now };
  const later = expires !== undefined && expires > now ? { expires } : {};
  return { put: { kind, id, value: stamped, method: "PUT", ...later } };
}

function changedSince(
  { configuration: { redaction } }: HistoryParts,
  { number, kind, id, after }: HistoryRecord,
  current: StoredResource | undefined,
): Answer {
  const message = `${pathOf(kind)}/${id} has changed since change ${number}; look at both versions, and add ?over=true to put back the one before it all the same`;
  const version = (resource: StoredResource | null | undefined) =>
    resource ? shown(resource, redaction) : null;
  return json(409, { error_msg: message, after: version(after), current: version(current) });
}

/**
 * Whether nothing has changed since. A resource that is gone has no revision, so the history decides; changes that it was not
 * told of, while it was switched off, show in the revision of what is there.
 */
function isCurrent(configuration: HistoryParts["configuration"], record: HistoryRecord): boolean {
  const { number, kind, id, after } = record;
  if (configuration.history.newestOf(kind, id)?.number !== number) return false;
  const current = currentOf(configuration, record);
  return after === null ? current === undefined : current?.modifiedIndex === number;
}

const currentOf = (
  { resources }: HistoryParts["configuration"],
  { kind, id }: Pick<HistoryEntry, "kind" | "id">,
): StoredResource | undefined => resources.get(kind, id);

function read(
  history: HistoryParts["configuration"]["history"],
  number: string,
): { record: HistoryRecord } | { answer: Answer } {
  const absent = { answer: json(404, { message: "Key not found" }) };
  if (!NUMBER.test(number)) return absent;
  try {
    const record = history.get(Number(number));
    return record ? { record } : absent;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { answer: failure(503, error.message) };
  }
}

/** Kinds by their paths, as everywhere in answers. */
const told = ({ kind, id, ...entry }: ListedChange): object => ({
  ...entry,
  kind: pathOf(kind),
  id,
  resource: keyOf({ kind, id }),
});
