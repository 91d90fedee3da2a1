import { type FieldPath, fieldAt, same, threeWay } from "../../abi/three-way.js";
import type { Write } from "../change.js";
import type { Configuration } from "../configuration.js";
import { originOfChange } from "../history/history.js";
import type { SecretMasking } from "../secret-masking.js";
import {
  type ChangeOrigin,
  type HistoryRecord,
  type JsonObject,
  type StoredResource,
  StoreError,
} from "../store/store.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { adminKind, pathOf } from "./kinds.js";
import { openValue, shown } from "./list.js";
import { change, type WriteParts, type WriteRequest } from "./write.js";

type HistoryParts = Pick<WriteParts, "configuration" | "now">;

export interface RevertRequest extends Pick<WriteRequest, "origin" | "condition" | "dryRun" | "force"> {
  /** Reverts also fields that later changes touched. */
  over: boolean;
}

interface PlannedRevert {
  current: StoredResource | undefined;
  /** True if nothing has changed since. */
  isCurrent: boolean;
  /** Null if the revert removes the resource. Has no time of the write. */
  value: JsonObject | null;
  /** Fields that a later change also touched; the empty path is the whole resource. */
  conflicts: readonly FieldPath[];
}

/**
 * Serves `POST /gw/admin/history/{n}/revert`: undoes the change, secrets included, and keeps later changes of
 * other fields. `update_time` is that of the revert, and an expiry in the past is not set again. Replies 409
 * with each field that has changed since, unless `over`.
 */
export async function revert(
  parts: HistoryParts,
  number: string,
  asked: RevertRequest,
): Promise<ApiResponse> {
  const found = await readChange(parts.configuration, number);
  if ("answer" in found) return found.answer;
  const { record } = found;
  const { kind: segment, id } = record;
  if (originOfChange(record) === "files") return failure(400, fileIsTruth(record));
  const kind = adminKind(segment);
  if (kind === undefined) return failure(400, `Unsupported resource type: ${segment}`);
  const { force, over, dryRun, condition } = asked;
  const origin: ChangeOrigin = {
    ...asked.origin,
    method: record.before === null ? "DELETE" : "PUT",
    reverts: record.number,
  };
  return change(parts, { kind, condition, dryRun, origin }, id, () => {
    const taken = planRevert(parts.configuration, record);
    if (taken.value === null && taken.current === undefined && (over || taken.isCurrent))
      return { answer: failure(404, `${pathOf(segment)}/${id} no longer exists`) };
    const refusal = refusedFor(parts, record, taken, over);
    if (refusal !== undefined) return { answer: refusal };
    if (taken.value === null) return { remove: { kind: segment, id, force } };
    return writeOf(record, taken, taken.value, parts.now());
  });
}

/**
 * Computes the resource without a change. A resource that was deleted and created again since is another one,
 * so no field is compared. Neither the current value nor the earlier one is masked here.
 */
function planRevert(configuration: HistoryParts["configuration"], record: HistoryRecord): PlannedRevert {
  const { before, after, kind, id } = record;
  const current = configuration.resources.get(kind, id);
  const isCurrent = isNewest(configuration, record, current);
  const whole = { current, isCurrent, value: before?.value ?? null };
  if (isCurrent) return { ...whole, conflicts: [] };
  if (!before?.value || !after?.value || !current?.value || current.createdIndex !== after.createdIndex)
    return { ...whole, conflicts: [[]] };
  const { value, both } = threeWay(untimed(after.value), untimed(current.value), untimed(before.value));
  return { current, isCurrent, value, conflicts: both };
}

const fileIsTruth = ({ kind, id, place, after }: HistoryRecord): string =>
  `${pathOf(kind)}/${id} ${after === null ? "was" : "is"} defined in ${place}, and a revert does not change files: edit the file`;

/** Shows a change of files, which only an edit of the files can revert. */
function toldOfFiles(
  { history, resources, redaction }: HistoryParts["configuration"],
  record: HistoryRecord,
) {
  const { kind, id, number } = record;
  const now = resources.fromFile(kind, id) ?? resources.get(kind, id);
  return {
    current: history.newestOf(kind, id, "files")?.number === number,
    now: now ? shown(now, redaction) : null,
    ...{ taken_back: null, conflicts: [] },
  };
}

/** Previews a revert, as reads of the change show it, with secrets masked. */
export function previewRevert(parts: HistoryParts, record: HistoryRecord): object {
  if (originOfChange(record) === "files") return toldOfFiles(parts.configuration, record);
  const { redaction } = parts.configuration;
  const { current, isCurrent, conflicts, value } = planRevert(parts.configuration, record);
  const versions = maskedVersions(record, current, redaction);
  const { before, after, current: now } = versions;
  const isMerged = !isCurrent && conflicts.every((path) => path.length > 0);
  const merged =
    isMerged && before !== null && after !== null && now !== null
      ? threeWay(untimed(after), untimed(now), untimed(before)).value
      : before;
  return {
    current: isCurrent,
    now: current ? shown(current, redaction) : null,
    taken_back: value === null ? null : merged,
    conflicts: conflicts.map((path) => conflictAt(path, versions)),
  };
}

const UNTIMED = "update_time";
/** Removes the time of the write, which would make any two versions differ. */
const untimed = ({ [UNTIMED]: _, ...value }: JsonObject): JsonObject => value;

function writeOf(
  { kind, id, before, after }: HistoryRecord,
  { current, isCurrent, conflicts }: PlannedRevert,
  value: JsonObject,
  now: number,
): Write {
  const isWhole = isCurrent || conflicts.some((path) => path.length === 0);
  // The expiry of a resource merges like any other field.
  const expires = isWhole || current?.expires === after?.expires ? before?.expires : current?.expires;
  const hasTime = before?.value?.[UNTIMED] !== undefined;
  const stamped = hasTime ? { ...value, [UNTIMED]: now } : value;
  const later = expires !== undefined && expires > now ? { expires } : {};
  return { put: { kind, id, value: stamped, method: "PUT", ...later } };
}

function refusedFor(
  { configuration: { redaction } }: HistoryParts,
  record: HistoryRecord,
  { current, isCurrent, value, conflicts }: PlannedRevert,
  over: boolean,
): ApiResponse | undefined {
  if (isCurrent) return undefined;
  const { number, kind, id, after } = record;
  const name = `${pathOf(kind)}/${id}`;
  const isSame = value !== null && current?.value != null && same(untimed(value), untimed(current.value));
  const isRefused = !over && conflicts.length > 0;
  if (!isRefused && !isSame) return undefined;
  const fields = conflicts.map((path) => path.join(".")).join(", ");
  const reason = !isRefused
    ? `${name} contains nothing of change ${number} to revert`
    : conflicts.every((path) => path.length > 0)
      ? `${name} has changed since change ${number} in the same fields (${fields}); compare the versions, and add ?over=true to revert these fields anyway`
      : `${name} has changed since change ${number}; compare both versions, and add ?over=true to restore the earlier one anyway`;
  const version = (resource: StoredResource | null | undefined) =>
    resource ? shown(resource, redaction) : null;
  const versions = maskedVersions(record, current, redaction);
  return json(409, {
    ...{ error_msg: reason, after: version(after), current: version(current) },
    conflicts: conflicts.map((path) => conflictAt(path, versions)),
  });
}

type Versions = Record<"before" | "after" | "current", JsonObject | null>;

function maskedVersions(
  { before, after }: HistoryRecord,
  current: StoredResource | undefined,
  redaction: SecretMasking,
): Versions {
  const masked = (resource: StoredResource | null | undefined) =>
    resource ? openValue(resource, redaction) : null;
  return { before: masked(before), after: masked(after), current: masked(current) };
}

const conflictAt = (path: FieldPath, { before, after, current }: Versions): object => ({
  field: path.join("."),
  before: fieldAt(before, path),
  after: fieldAt(after, path),
  now: fieldAt(current, path),
});

/**
 * Reports whether nothing has changed since. A deleted resource has no revision, so the history decides.
 * Changes made while the history was off show in the revision of the current resource.
 */
function isNewest(
  { history }: HistoryParts["configuration"],
  { number, kind, id, after }: HistoryRecord,
  current: StoredResource | undefined,
): boolean {
  if (history.newestOf(kind, id, "store")?.number !== number) return false;
  return after === null ? current === undefined : current?.modifiedIndex === number;
}

export const NUMBER_OF_CHANGE = /^[1-9]\d{0,14}$/;

type Found = { record: HistoryRecord } | { answer: ApiResponse };

/** Returns a change of the history, or the rejection. Waits until masks know all credentials. */
export async function readChange(
  { history, credentials }: Pick<Configuration, "history" | "credentials">,
  number: string,
): Promise<Found> {
  const found = keptChange(history, number);
  if ("answer" in found) return found;
  const { before, after } = found.record;
  await Promise.all([credentials.ready(), credentials.look([before, after])]);
  return found;
}

function keptChange(history: Configuration["history"], number: string): Found {
  const absent = { answer: json(404, { message: "Key not found" }) };
  if (!NUMBER_OF_CHANGE.test(number)) return absent;
  try {
    const record = history.get(Number(number));
    return record ? { record } : absent;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { answer: failure(503, error.message) };
  }
}
