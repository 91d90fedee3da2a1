import type { ChangeOrigin } from "../store/store.js";
import { type ApiResponse, failure, json, refusal, withWarnings } from "./answer.js";
import { noteOf, originOf } from "./change-origin.js";
import { changedFields } from "./changed-fields.js";
import { namedKind } from "./kinds.js";
import { keyOf } from "./list.js";
import { type AdminRequest, type DispatchParts, NO_COMPILER } from "./operation.js";
import { isDryRun } from "./query.js";

/** Serves `POST /adopt/{kind}/{id}`, the request of `gwc adopt`. A gwc extension. */
export async function adopt(
  parts: DispatchParts,
  request: AdminRequest,
  below: readonly string[],
): Promise<ApiResponse> {
  const { query } = request;
  const { path, kind, rest } = namedKind(below);
  const [id] = rest;
  if (!kind) return failure(404, `Unsupported resource type: ${path}`);
  if (id === undefined) return failure(400, `missing ${kind.label} id`);
  if (!parts.compiler || parts.unreadable !== undefined) return failure(503, parts.unreadable ?? NO_COMPILER);
  const dryRun = isDryRun(query);
  const said = noteOf(query, request.note);
  if ("fault" in said) return failure(400, said.fault);
  const { resources } = parts.configuration;
  const before = resources.get(kind.segment, id)?.value;
  const origin: ChangeOrigin = { ...originOf(request, said.note), method: "ADOPT" };
  const adopted = await parts.adopt({ kind: kind.segment, id, origin }, dryRun);
  if (adopted === "absent") return json(404, { message: "Key not found" });
  if (!adopted.ok)
    return refusal(adopted.store === "failed" ? 503 : 400, adopted.reason, adopted.diagnostics);
  const told = withWarnings(adopted.diagnostics);
  const key = keyOf({ kind: kind.segment, id });
  if (dryRun) return json(200, { key, ...told });
  const now = resources.fromFile(kind.segment, id);
  const fields = changedFields(before, now?.value);
  // The store no longer has the resource, and the value in the file may contain values of the environment.
  const changed = { kind: kind.segment, id, fields, value: null };
  return { ...json(200, { key, static: now?.place, ...told }), changed };
}
