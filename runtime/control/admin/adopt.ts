import { answered, component, openObject } from "../../process/operation.js";
import { changedFields } from "../history/history.js";
import type { ChangeOrigin } from "../store/store.js";
import { type ApiResponse, failure, json, refusal, withWarnings } from "./answer.js";
import { namedKind } from "./kinds.js";
import { keyOf } from "./list.js";
import { DRY_RUN } from "./openapi/common.js";
import { type AdminOperation, type AdminRequest, type DispatchParts, NO_COMPILER } from "./operation.js";
import { isDryRun, NOTE_PARAMETERS, noteOf, originOf } from "./query.js";

/** Serves `POST /adopt/{kind}/{id}`, the request of `gwc adopt`. A gwc extension. */
async function adopt(
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

export const ADOPT: AdminOperation = {
  method: "POST",
  path: "adopt/{kind}/{id}",
  name: "adoptResource",
  summary: "Let files, or the build, take over a resource of the store",
  parameters: [DRY_RUN, ...NOTE_PARAMETERS],
  answers: {
    200: answered(
      "taken over",
      openObject(
        {
          key: component("Key"),
          static: { type: "string", description: "Place in the file; absent in a dry run." },
          warnings: component("Findings"),
        },
        ["static", "warnings"],
      ),
    ),
    400: answered("the reason why it cannot be taken over", component("Refusal")),
    404: answered("unknown kind, or no such resource in the store", {
      anyOf: [component("Absent"), component("Error")],
    }),
  },
  answer: adopt,
};
