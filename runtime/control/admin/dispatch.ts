import { type ApiResponse, failure, json } from "./answer.js";
import { parseBody } from "./body.js";
import { type DryRunQuestion, effectQuestion, moduleQuestion } from "./effect.js";
import { type AdminKind, isFolder, namedKind } from "./kinds.js";
import { list, shown } from "./list.js";
import type { AdminRequest, DispatchParts } from "./operation.js";
import { OPERATIONS, operationsAt } from "./operations.js";
import { dryRunDetail, isDryRun, noteOf, originOf } from "./query.js";
import { fixedRefusal, patch, post, put, remove, type WriteRequest } from "./write.js";

const METHODS = new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]);

/** Checks in the order of the reference (section 1.1): resource, method, body, ttl, then by resource. */
export async function dispatch(parts: DispatchParts, request: AdminRequest): Promise<ApiResponse> {
  const { method, segments, query } = request;
  const dryRun = query.get("dry_run");
  const operations = operationsAt(segments);
  const asked = operations.length === 0 ? dryRunDetail(query) : undefined;
  if (dryRun !== null && dryRun !== "true" && dryRun !== "false" && asked === undefined) {
    const ofWrites = operations.length === 0 ? "true, false, effect or module" : "true or false";
    return failure(400, `invalid argument dry_run: should be ${ofWrites}`);
  }
  const operation = operations.find((one) => one.method === method);
  if (operation) return operation.answer(parts, request, segments.slice(1));
  const [other] = operations;
  if (other) return other.otherMethod?.(method) ?? failure(404, "not found");
  const { path, kind, rest } = namedKind(segments);
  if (!kind) return failure(404, isBegun(path) ? "not found" : `Unsupported resource type: ${path}`);
  if (!METHODS.has(method)) return failure(404, "not found");
  const parsed = parseBody(request.bodyText);
  if ("answer" in parsed) return parsed.answer;
  const ttl = query.get("ttl");
  if (ttl !== null && !/^\d+(?:\.\d+)?$/.test(ttl)) {
    return failure(400, "invalid argument ttl: should be a number");
  }
  return resource(parts, request, kind, rest, parsed.value);
}

/** Reports whether operations exist below this path; a folder of kinds by itself is none. */
const isBegun = (path: string) =>
  !isFolder(path) && OPERATIONS.some((operation) => operation.path.startsWith(`${path}/`));

async function resource(
  parts: DispatchParts,
  request: AdminRequest,
  kind: AdminKind,
  rest: string[],
  body: unknown,
): Promise<ApiResponse> {
  const { method, query } = request;
  const [id, ...subPath] = rest;
  // Only PATCH applies below a resource: DELETE /routes/1/upstream must not delete the route.
  if (subPath.length > 0 && method !== "PATCH") return failure(404, "not found");
  if (parts.unreadable !== undefined) return failure(503, parts.unreadable);
  if (method === "GET") {
    await parts.configuration.credentials.ready();
    return read(parts, kind, id, query);
  }
  if ((method === "POST" && !kind.post) || (method === "PATCH" && !kind.patch)) {
    return failure(405, `not supported \`${method}\` method for ${kind.label}`);
  }
  const refused = parts.readOnly();
  const fixed = refused === undefined ? undefined : fixedRefusal(parts.configuration, kind, id);
  if (fixed !== undefined) return failure(400, fixed);
  if (refused !== undefined) return failure(503, refused);
  const ttl = query.get("ttl");
  const said = noteOf(query, request.note);
  if ("fault" in said) return failure(400, said.fault);
  const write: WriteRequest = {
    kind,
    id,
    subPath,
    body,
    bodyText: request.bodyText,
    ttl: ttl === null ? undefined : Number(ttl),
    force: query.get("force") === "true",
    dryRun: isDryRun(query),
    asked: askedIn(query),
    condition: request.condition,
    origin: originOf(request, said.note),
  };
  const handler = { PUT: put, POST: post, PATCH: patch, DELETE: remove }[method];
  return handler ? handler(parts, write) : failure(404, "not found");
}

function askedIn(query: URLSearchParams): DryRunQuestion | undefined {
  const asked = dryRunDetail(query);
  if (asked === undefined) return undefined;
  return asked === "effect" ? effectQuestion() : moduleQuestion(query.get("of") ?? undefined);
}

function read(
  parts: DispatchParts,
  kind: AdminKind,
  id: string | undefined,
  query: URLSearchParams,
): ApiResponse {
  const { resources, redaction } = parts.configuration;
  if (id === undefined) {
    const found = list(resources.list(kind.segment), kind, query, redaction);
    return typeof found === "string" ? { status: 400, body: found, type: "text/plain" } : json(200, found);
  }
  const item = resources.get(kind.segment, id) ?? resources.fromFile(kind.segment, id);
  if (!item) return json(404, { message: "Key not found" });
  const headers: Record<string, string> = "modifiedIndex" in item ? { ETag: `"${item.modifiedIndex}"` } : {};
  return { status: 200, body: shown(item, redaction), headers };
}
