import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { isObject } from "../../abi/json-object.js";
import { answered, component, errorResponse, jsonBody } from "../../process/operation.js";
import { type ApiResponse, failure, json, refusal, withWarnings } from "./answer.js";
import { parseBody } from "./body.js";
import { type AdminKind, namedKind } from "./kinds.js";
import { type AdminOperation, compiled, type DispatchParts } from "./operation.js";
import { post, put, type WriteParts, type WriteRequest } from "./write.js";

const EMPTY = "invalid request body: empty request body";
/** Prefix of a write's error text, which this response lacks (reference 1.9). */
const PREFIX = /^invalid configuration: /;

/**
 * Serves `POST /schema/validate/{routes|…}`: compiles the body as a write would and discards the result.
 * Replies 200 with only warnings, or with the error text of the write without its prefix.
 */
async function validate(
  parts: Pick<DispatchParts, "readOnly"> & WriteParts,
  compiler: CompilerThread,
  segments: readonly string[],
  { body, sent }: { body: unknown; sent: string },
): Promise<ApiResponse> {
  const { path, kind } = namedKind(segments.slice(1));
  if (!kind) return failure(404, `not found schema: ${path}`);
  if (body === undefined) return failure(400, EMPTY);
  const fault = await compiler.validate(kind.segment, body);
  const unready = parts.readOnly();
  if (unready !== undefined) return fault === null ? failure(503, unready) : failure(400, fault);
  const answer = await tried(parts, kind, body, sent);
  if (answer.status >= 400) return withoutPrefix(answer);
  const { warnings = [] } = answer.body as { warnings?: object[] };
  return warnings.length === 0 ? { status: 200 } : json(200, { warnings });
}

/** Dry run of a write of the resource with the body's own id, or of a new one. */
function tried(parts: WriteParts, kind: AdminKind, body: unknown, sent: string): Promise<ApiResponse> {
  const fields = isObject(body) ? body : {};
  const request: WriteRequest = {
    kind,
    id: undefined,
    subPath: [],
    body,
    bodyText: JSON.stringify(body),
    sent,
    ttl: undefined,
    force: false,
    dryRun: true,
    condition: { ifMatch: undefined, ifNoneMatch: undefined },
    origin: { key: null, address: null, note: null, method: "PUT" },
  };
  if (kind.identity === "plugin") {
    const { id, ...settings } = fields;
    return put(parts, { ...request, id: String(id ?? ""), body: isObject(body) ? settings : body });
  }
  const isNew = kind.identity === "id" && (fields["id"] === undefined || fields["id"] === null);
  return isNew ? post(parts, request) : put(parts, request);
}

function withoutPrefix(answer: ApiResponse): ApiResponse {
  const body = answer.body as { error_msg?: string };
  return { ...answer, body: { ...body, error_msg: body.error_msg?.replace(PREFIX, "") } };
}

/** Serves `POST /configs/validate`: every error of a document, without references between resources. */
async function validateDocument(
  compiler: CompilerThread,
  text: string,
  contentType: string | undefined,
): Promise<ApiResponse> {
  if (text.trim() === "") return failure(400, EMPTY);
  const format = /^\s*application\/(?:x-)?yaml\b/i.test(contentType ?? "") ? "yaml" : "json";
  const { fault, errors, diagnostics } = await compiler.validateDocument(text, format);
  if (fault !== undefined) return refusal(400, `invalid request body: ${fault}`, diagnostics);
  if (errors.length === 0) return json(200, {});
  const found = withWarnings(diagnostics).warnings;
  return json(400, { error_msg: "Configuration validation failed", errors, diagnostics: found });
}

export const VALIDATE_RESOURCE: AdminOperation = {
  method: "POST",
  path: "schema/validate/{kind}",
  name: "validateResource",
  summary: "Compile a resource with all others, without a change",
  body: jsonBody("The resource.", {}),
  answers: {
    200: {
      description: "a write would be accepted; a body only if there are warnings",
      content: { "application/json": component("Warned") },
    },
    400: answered("the reason why a write would be rejected", component("Refusal")),
    404: errorResponse("unknown kind"),
  },
  answer(parts, { bodyText }, below) {
    const parsed = parseBody(bodyText);
    if ("answer" in parsed) return withoutPrefix(parsed.answer);
    return compiled(parts, (compiler) =>
      validate(parts, compiler, below, { body: parsed.value, sent: bodyText }),
    );
  },
};

export const VALIDATE_CONFIGURATION: AdminOperation = {
  method: "POST",
  path: "configs/validate",
  name: "validateConfiguration",
  summary: "Report every error in a configuration document",
  description: "Each resource is checked separately, without references.",
  body: {
    description: "A configuration file.",
    content: { "application/json": component("configuration"), "application/yaml": { type: "string" } },
    required: true,
  },
  answers: {
    200: answered("the document is valid", { type: "object", maxProperties: 0 }),
    400: answered("every error, or the reason why it is not a document", {
      anyOf: [component("ConfigurationErrors"), component("Refusal")],
    }),
  },
  answer: (parts, { bodyText, contentType }) =>
    compiled(parts, (compiler) => validateDocument(compiler, bodyText, contentType)),
};
