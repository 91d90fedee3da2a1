import type { ResourceName } from "../../../compiler/resolve/resource.js";
import { serviceContributions } from "../../../plugins/control.js";
import type { ControlCompiler } from "../compiler.js";
import type { Adopted } from "../configuration.js";
import { type Answer, failure, json, refusal, withWarnings } from "./answer.js";
import { parseBody } from "./body.js";
import type { WriteCondition } from "./condition.js";
import { type AdminKind, namedKind } from "./kinds.js";
import { keyOf, list, shown } from "./list.js";
import { plugins, schema } from "./schema.js";
import { validate, validateDocument } from "./validate.js";
import { patch, post, put, remove, type WriteParts, type WriteRequest } from "./write.js";

/** A request that has passed the key. */
export interface AdminRequest {
  /** GET for HEAD. */
  method: string;
  /** Decoded, after `/gw/admin/`. */
  segments: string[];
  query: URLSearchParams;
  bodyText: string;
  condition: WriteCondition;
  contentType: string | undefined;
  accept: string | undefined;
}

export interface DispatchParts extends WriteParts {
  /** Null: no compiler here, so no schemas either. */
  compiler: ControlCompiler | null;
  /** Why writes are not taken, or undefined. */
  readOnly: () => string | undefined;
  /** Lets configuration files take over a resource of the store. */
  adopt: (name: ResourceName, dryRun: boolean) => Promise<Adopted>;
  /** Why not even reads are: the store could not be read at start. */
  unreadable: string | undefined;
}

const METHODS_OF = {
  schema: new Set(["GET", "POST"]),
  plugins: new Set(["GET", "PUT"]),
  resource: new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]),
};

const NO_COMPILER = "the compiler is not installed here";

/** Answers in the reference's order: resource, method, body, ttl, then the resource's own checks (section 1.1). */
export async function dispatch(parts: DispatchParts, request: AdminRequest): Promise<Answer> {
  const { method, segments, query } = request;
  const [segment = "", ...below] = segments;
  const dryRun = query.get("dry_run");
  if (dryRun !== null && dryRun !== "true" && dryRun !== "false") {
    return failure(400, "invalid argument dry_run: should be true or false");
  }
  if (segment === "configs") return configs(parts, request, below);
  if (segment === "adopt") return adopt(parts, request, below);
  const service = serviceContributions().find(({ name }) => name === segment);
  if (service?.operations.includes(below[0] ?? ""))
    return service.answer(parts.services.end(service.plugin), { ...request, segments: below });
  const { path, kind, rest } = namedKind(segments);
  const known =
    segment === "schema" || segment === "plugins" ? METHODS_OF[segment] : kind && METHODS_OF.resource;
  if (!known) return failure(404, `Unsupported resource type: ${path}`);
  if (!known.has(method)) return failure(404, "not found");
  const parsed = parseBody(request.bodyText);
  if ("answer" in parsed) return parsed.answer;
  const ttl = query.get("ttl");
  if (ttl !== null && !/^\d+(?:\.\d+)?$/.test(ttl)) {
    return failure(400, "invalid argument ttl: should be a number");
  }
  if (!kind) return describe(parts, request, segment, below, parsed.value);
  return resource(parts, request, kind, rest, parsed.value);
}

function describe(
  parts: DispatchParts,
  { method, query }: AdminRequest,
  segment: string,
  rest: string[],
  body: unknown,
): Answer | Promise<Answer> {
  const { compiler } = parts;
  if (!compiler) return failure(503, NO_COMPILER);
  if (segment === "plugins") {
    if (rest[0] === "reload") return reloadPlugins(method);
    return method === "GET" ? plugins(compiler, rest, query) : failure(404, "not found");
  }
  return method === "GET" ? schema(compiler, rest, query) : validate(parts, compiler, rest, body);
}

/** `POST /configs/validate` (reference 1.9). */
function configs(
  { compiler }: DispatchParts,
  { method, bodyText, contentType }: AdminRequest,
  rest: string[],
): Answer | Promise<Answer> {
  if (rest.join("/") !== "validate" || method !== "POST") return failure(404, "not found");
  return compiler ? validateDocument(compiler, bodyText, contentType) : failure(503, NO_COMPILER);
}

/** Plugins are compiled in, so there is nothing to load again. */
function reloadPlugins(method: string): Answer {
  if (method === "PUT") return { status: 200, body: "done", type: "text/plain" };
  return failure(405, `please use PUT method to reload the plugins, ${method} method is not allowed.`);
}

/** `POST /adopt/{kind}/{id}`: what `gwc adopt` asks for. Ours; the reference has nothing like it. */
async function adopt(parts: DispatchParts, { method, query }: AdminRequest, rest: string[]): Promise<Answer> {
  const { path, kind, rest: named } = namedKind(rest);
  const [id] = named;
  if (method !== "POST") return failure(404, "not found");
  if (!kind) return failure(404, `Unsupported resource type: ${path}`);
  if (id === undefined) return failure(400, `missing ${kind.label} id`);
  if (!parts.compiler || parts.unreadable !== undefined) return failure(503, parts.unreadable ?? NO_COMPILER);
  const dryRun = query.get("dry_run") === "true";
  const adopted = await parts.adopt({ kind: kind.segment, id }, dryRun);
  if (adopted === "absent") return json(404, { message: "Key not found" });
  if (!adopted.ok) return refusal(400, adopted.reason, adopted.diagnostics);
  const told = withWarnings(adopted.diagnostics);
  const key = keyOf({ kind: kind.segment, id });
  if (dryRun) return json(200, { key, ...told });
  const place = parts.configuration.resources.fromFile(kind.segment, id)?.place;
  return json(200, { key, static: place, ...told });
}

async function resource(
  parts: DispatchParts,
  request: AdminRequest,
  kind: AdminKind,
  rest: string[],
  body: unknown,
): Promise<Answer> {
  const { method, query } = request;
  const [id, ...subPath] = rest;
  // Only PATCH goes below a resource: DELETE /routes/1/upstream must not delete the route.
  if (subPath.length > 0 && method !== "PATCH") return failure(404, "not found");
  if (parts.unreadable !== undefined) return failure(503, parts.unreadable);
  if (method === "GET") return read(parts, kind, id, query);
  if ((method === "POST" && !kind.post) || (method === "PATCH" && !kind.patch)) {
    return failure(405, `not supported \`${method}\` method for ${kind.label}`);
  }
  const refused = parts.readOnly();
  if (refused !== undefined) return failure(503, refused);
  const ttl = query.get("ttl");
  const write: WriteRequest = {
    kind,
    id,
    subPath,
    body,
    bodyText: request.bodyText,
    ttl: ttl === null ? undefined : Number(ttl),
    force: query.get("force") === "true",
    dryRun: query.get("dry_run") === "true",
    condition: request.condition,
  };
  const handler = { PUT: put, POST: post, PATCH: patch, DELETE: remove }[method];
  return handler ? handler(parts, write) : failure(404, "not found");
}

function read(parts: DispatchParts, kind: AdminKind, id: string | undefined, query: URLSearchParams): Answer {
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
