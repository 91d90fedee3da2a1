import { isObject } from "../../abi/json-object.js";
import type { Put, Write, WriteResult } from "../change.js";
import type { Configuration, WriteContext } from "../configuration.js";
import { changedFields } from "../history/history.js";
import type { SecretMasking } from "../secret-masking.js";
import type { Services } from "../services.js";
import type { ChangeOrigin, JsonObject } from "../store/store.js";
import { type ApiResponse, failure, json, refusal, withWarnings } from "./answer.js";
import type { DryRunQuestion } from "./effect.js";
import type { AdminKind } from "./kinds.js";
import { keyOf, openValue } from "./list.js";
import {
  identified,
  issued,
  merged,
  ownField,
  rejectTimestamps,
  replacedAt,
  wrongType,
} from "./write-body.js";

export interface WriteRequest {
  kind: AdminKind;
  id: string | undefined;
  subPath: string[];
  body: unknown;
  bodyText: string;
  /** Body as the client sent it, if `bodyText` is another encoding of it. */
  sent?: string;
  /** Lifetime in seconds. */
  ttl: number | undefined;
  force: boolean;
  /** `?dry_run=true`: the response is that of the write, and nothing changes. */
  dryRun: boolean;
  asked?: DryRunQuestion | undefined;
  condition: WriteCondition;
  origin: ChangeOrigin;
}

export interface WriteParts {
  configuration: Configuration;
  plugins: ReadonlySet<string>;
  /** Unix seconds. */
  now: () => number;
  services: Pick<Services, "end">;
}

type Decision =
  | (Write & { /** Shown only in this response and never again. */ secret?: string })
  | { answer: ApiResponse };
const NOT_FOUND: ApiResponse = json(404, { message: "Key not found" });

export async function put(parts: WriteParts, request: WriteRequest): Promise<ApiResponse> {
  const { kind, body } = request;
  const checked = checkedBody(body);
  if ("answer" in checked) return checked.answer;
  const named = identified(kind, request.id, checked.value, parts.plugins);
  if ("answer" in named) return named.answer;
  return replace(parts, request, "PUT", named);
}

export async function post(parts: WriteParts, request: WriteRequest): Promise<ApiResponse> {
  const { kind, body } = request;
  const checked = checkedBody(body);
  if ("answer" in checked) return checked.answer;
  if (request.id !== undefined || checked.value["id"] !== undefined) {
    return failure(400, `wrong ${kind.label} id, do not need it`);
  }
  return replace(parts, request, "POST", { id: undefined, value: checked.value });
}

/** Writes a whole value. @param named its id; undefined for a new one */
function replace(
  parts: WriteParts,
  request: WriteRequest,
  method: "PUT" | "POST",
  { id: named, value }: { id: string | undefined; value: JsonObject },
): ApiResponse | Promise<ApiResponse> {
  const { kind } = request;
  const forbidden = rejectTimestamps(value) ?? ownField(kind, Object.keys(value));
  if (forbidden !== undefined) return failure(400, forbidden);
  return change(parts, request, named, (context) => {
    const id = named ?? freshId(kind, context);
    const before = context.resources.get(kind.segment, id)?.value ?? undefined;
    const added = issued(kind, id, context, parts.services);
    if ("answer" in added) return added;
    const { fields, ...secret } = added;
    const whole = { ...value, ...fields, ...(named === undefined && { id }) };
    const stamped = timed(kind, whole, before, parts.now());
    const text = kind.fitting(id) && Object.keys(fields).length === 0 ? request.bodyText : undefined;
    return {
      put: { kind: kind.segment, id, value: stamped, text, ...sentBy(parts, request, method) },
      ...secret,
    };
  });
}

export async function patch(parts: WriteParts, request: WriteRequest): Promise<ApiResponse> {
  const { kind, id, body, subPath } = request;
  if (id === undefined) return failure(400, `missing ${kind.label} id`);
  if (body === undefined) return failure(400, "missing new configuration");
  if (subPath.length === 0 && !isObject(body)) return failure(400, "invalid configuration");
  const forbidden = ownField(kind, subPath.length > 0 ? subPath : Object.keys(body as JsonObject));
  if (forbidden !== undefined) return failure(400, forbidden);
  return change(parts, request, id, ({ resources }) => {
    // The compiler rejects a write to a resource from a file and names its location.
    const before = resources.get(kind.segment, id)?.value ?? resources.fromFile(kind.segment, id)?.value;
    if (!before) return { answer: NOT_FOUND };
    const result =
      subPath.length > 0 ? replacedAt(before, subPath, body) : { value: merged(before, body as JsonObject) };
    if ("invalid" in result) return { answer: failure(400, `invalid sub-path: ${result.invalid}`) };
    const named = result.value["id"] ?? before["id"];
    if (named !== undefined && String(named) !== id) {
      return { answer: failure(400, `wrong ${kind.label} id`) };
    }
    // Keeps the id, even if the patch removes it or changes its type.
    const value = before["id"] === undefined ? result.value : { ...result.value, id: before["id"] };
    const sentTime = subPath.length === 0 && isObject(body) && body["update_time"] !== undefined;
    const update = (sentTime && value["update_time"]) || parts.now();
    const stamped = { ...value, create_time: value["create_time"] ?? parts.now(), update_time: update };
    return { put: { kind: kind.segment, id, value: stamped, ...sentBy(parts, request, "PATCH") } };
  });
}

export async function remove(parts: WriteParts, request: WriteRequest): Promise<ApiResponse> {
  const { kind, id, force } = request;
  if (id === undefined) return failure(400, `missing ${kind.label} id`);
  return change(parts, request, id, ({ resources }) => {
    const known = resources.get(kind.segment, id) ?? resources.fromFile(kind.segment, id);
    return known ? { remove: { kind: kind.segment, id, force } } : { answer: NOT_FOUND };
  });
}

type ChangeRequest = Pick<WriteRequest, "kind" | "condition" | "dryRun" | "asked" | "origin">;

export async function change(
  { configuration }: Pick<WriteParts, "configuration">,
  { kind, condition, dryRun, asked, origin }: ChangeRequest,
  id: string | undefined,
  decide: (context: WriteContext) => Decision,
): Promise<ApiResponse> {
  let secret: string | undefined;
  let before: JsonObject | null | undefined;
  const answer = await configuration.change<ApiResponse>(
    (context) => {
      const fixed = builtRefusal(context, kind, id);
      if (fixed !== undefined) return { answer: failure(400, fixed) };
      const failed = unmet(condition, id === undefined ? undefined : indexOf(context, kind, id));
      if (failed !== undefined) return { answer: failure(412, failed) };
      const decision = decide(context);
      const named = "put" in decision ? decision.put.id : id;
      before = named === undefined ? undefined : context.resources.get(kind.segment, named)?.value;
      // A dry run stores no key, so its response must not show one.
      if ("secret" in decision && !dryRun) secret = decision.secret;
      return decision;
    },
    (outcome) => {
      const answer = answerOf(outcome, kind, id, configuration.redaction, secret);
      if (!outcome.ok) return answer;
      const { resource } = outcome;
      const value = resource?.value ? openValue(resource, configuration.redaction) : null;
      const fields = changedFields(before, resource?.value);
      return { ...answer, changed: { kind: kind.segment, id: resource?.id ?? id ?? "", fields, value } };
    },
    origin,
    dryRun,
    asked?.inspect,
  );
  return asked === undefined ? answer : asked.into(answer);
}

/** Returns the reason why a resource of a build is read-only, with its location; undefined for any other. */
function builtRefusal(
  { resources }: Pick<WriteContext, "resources">,
  kind: AdminKind,
  id: string | undefined,
) {
  if (id === undefined || !resources.isBuilt(kind.segment, id)) return undefined;
  const place = resources.fromFile(kind.segment, id)?.place ?? "";
  const from = place === "" ? "" : ` (from ${place})`;
  return `${kind.label} "${id}" is part of the build${from} and cannot be changed through the admin API`;
}

/**
 * Returns the reason why a resource of a build or of files is read-only on a gateway that accepts no writes.
 * Its location tells where to change it, unlike the reason of the gateway's state.
 */
export function fixedRefusal(
  configuration: Pick<Configuration, "resources">,
  kind: AdminKind,
  id: string | undefined,
): string | undefined {
  const built = builtRefusal(configuration, kind, id);
  const place = id === undefined ? undefined : configuration.resources.fromFile(kind.segment, id)?.place;
  if (built !== undefined || place === undefined || place === "") return built;
  return `${kind.label} "${id}" is defined in ${place} and cannot be changed through the admin API`;
}

/** Returns the modified index; 0 for a resource of a file, as reads show it. */
function indexOf({ resources }: WriteContext, kind: AdminKind, id: string): number | undefined {
  return resources.get(kind.segment, id)?.modifiedIndex ?? (resources.fromFile(kind.segment, id) && 0);
}

function answerOf(
  outcome: WriteResult,
  kind: AdminKind,
  id: string | undefined,
  redaction: SecretMasking,
  secret: string | undefined,
): ApiResponse {
  if (!outcome.ok) return refusal(outcome.status, outcome.errorMessage, outcome.diagnostics);
  const { resource, created } = outcome;
  const told = withWarnings(outcome.warnings);
  // A forced deletion leaves a tombstone, a resource without value.
  if (!resource?.value) {
    return json(200, { key: keyOf({ kind: kind.segment, id: id ?? "" }), deleted: "1", ...told });
  }
  const body = { key: keyOf(resource), value: openValue(resource, redaction), ...told };
  const headers = { ETag: `"${resource.modifiedIndex}"` };
  if (secret === undefined) return { ...json(created ? 201 : 200, body), headers };
  return { status: 201, body: { ...body, secret }, headers: { ...headers, "Cache-Control": "no-store" } };
}

function checkedBody(body: unknown): { value: JsonObject } | { answer: ApiResponse } {
  if (body === undefined) return { answer: failure(400, "missing configurations") };
  if (!isObject(body)) return { answer: failure(400, wrongType(body)) };
  return { value: body };
}

/** Returns an unused id: 20 digits from the revision, which no earlier write had, or one of the plugin. */
function freshId(kind: AdminKind, { resources, revision }: WriteContext): string {
  for (let number = revision; ; number += 1) {
    const id = kind.newId?.() ?? String(number).padStart(20, "0");
    if (!resources.get(kind.segment, id) && !resources.fromFile(kind.segment, id)) return id;
  }
}

function timed(kind: AdminKind, value: JsonObject, before: JsonObject | undefined, now: number): JsonObject {
  if (kind.identity === "plugin") return value;
  return { ...value, create_time: before?.["create_time"] ?? now, update_time: now };
}

function sentBy(
  { now }: WriteParts,
  { ttl, bodyText, sent = bodyText }: WriteRequest,
  method: Put["method"],
): Pick<Put, "sent" | "method" | "expires"> {
  return { sent, method, ...(ttl !== undefined && { expires: now() + ttl }) };
}

/** Preconditions `If-Match` and `If-None-Match` of a write (RFC 9110 sections 13.1.1 and 13.1.2). */
export interface WriteCondition {
  /** Entity tags as sent, or "*". */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Returns the reason to reject a write (412), or undefined if the preconditions hold.
 * @param index modified index, which is the entity tag; undefined if there is no such resource
 */
function unmet({ ifMatch, ifNoneMatch }: WriteCondition, index: number | undefined): string | undefined {
  if (ifMatch !== undefined && !names(strongTags(ifMatch), index)) {
    return index === undefined ? "there is no resource to change" : "value changed before overwritten";
  }
  if (ifNoneMatch !== undefined && names(allTags(ifNoneMatch), index)) return "the resource already exists";
  return undefined;
}

const WEAK = /^W\//;

const tagsOf = (field: string): string[] => field.split(",").map((tag) => tag.trim());
/** Drops weak tags: none equals another in a strong comparison (RFC 9110 section 8.8.3.2). */
const strongTags = (field: string): string[] => tagsOf(field).filter((tag) => !WEAK.test(tag));
const allTags = (field: string): string[] => tagsOf(field).map((tag) => tag.replace(WEAK, ""));

/** Reports whether one of the entity tags names the current version; "*" names any existing one. */
function names(tags: readonly string[], index: number | undefined): boolean {
  if (index === undefined) return false;
  return tags.some((tag) => tag === "*" || tag.replace(/^"|"$/g, "") === String(index));
}
