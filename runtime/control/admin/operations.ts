import { serviceContributions } from "../../../plugins/control.js";
import {
  answered,
  component,
  type DescribedParameter,
  errorResponse,
  objectOf,
  TEXT_OR_NULL,
} from "../../process/operation.js";
import type { ControlCompiler } from "../compiler.js";
import { adopt } from "./adopt.js";
import { type ApiResponse, failure } from "./answer.js";
import { parseBody } from "./body.js";
import { CERTIFICATE_OPERATIONS } from "./certificates.js";
import { NOTE_PARAMETERS } from "./change-origin.js";
import { EXPORT } from "./export.js";
import { HISTORY_OPERATIONS } from "./history-operations.js";
import { LOGS_OPERATIONS } from "./logs-operations.js";
import { NODES } from "./nodes.js";
import { DRY_RUN } from "./openapi/common.js";
import { openApiDocument } from "./openapi/document.js";
import { type AdminOperation, compiled, fits } from "./operation.js";
import { OVERVIEW_OPERATIONS } from "./overview-operations.js";
import { REGEX } from "./regex.js";
import { allPlugins, pluginNames, pluginReadme, pluginSchema, schema } from "./schema.js";
import { SESSION } from "./session.js";
import { TRACE_OPERATIONS } from "./trace.js";
import { validate, validateDocument, withoutPrefix } from "./validate.js";
import { WHICH_ROUTE, WHICH_ROUTE_LIVE } from "./which-route-operation.js";

const SCHEMA_TYPE: DescribedParameter = {
  in: "query",
  name: "schema_type",
  description: "Schema of what consumers hold for the plugin, or of its metadata. Default: of its settings.",
  schema: { enum: ["consumer", "metadata"] },
};
const NO_PLUGIN = errorResponse("there is no such plugin, or it has no schema of this type");
const JSON_SCHEMA = answered("JSON Schema (draft-07) with all that it refers to", { type: "object" });

/** Plugins and schemas. The first path that matches a request is used. */
const ASKING: readonly AdminOperation[] = [
  SESSION,
  {
    method: "GET",
    path: "openapi.json",
    name: "readOpenApi",
    summary: "This document",
    answers: { 200: answered("OpenAPI 3.1", { type: "object", required: ["openapi", "info", "paths"] }) },
    answer: (parts) => compiled(parts, documentOf),
  },
  {
    method: "GET",
    path: "schema/plugins/{name}",
    name: "readPluginSchema",
    summary: "Schema of a plugin",
    parameters: [SCHEMA_TYPE],
    answers: { 200: JSON_SCHEMA, 404: NO_PLUGIN },
    answer: (parts, { query }, [, name = ""]) =>
      compiled(parts, (compiler) => pluginSchema(compiler, name, query)),
  },
  {
    method: "POST",
    path: "schema/validate/{kind}",
    name: "validateResource",
    summary: "Compile a resource with all others, and forget it",
    body: { description: "The resource.", content: { "application/json": {} }, required: true },
    answers: {
      200: {
        description: "a write would be taken; with a body only where there are warnings",
        content: { "application/json": component("Warned") },
      },
      400: answered("why a write would be refused", component("Refusal")),
      404: errorResponse("there is no such kind"),
    },
    answer(parts, { bodyText }, below) {
      const parsed = parseBody(bodyText);
      if ("answer" in parsed) return withoutPrefix(parsed.answer);
      return compiled(parts, (compiler) =>
        validate(parts, compiler, below, { body: parsed.value, sent: bodyText }),
      );
    },
  },
  {
    method: "GET",
    path: "schema/{kind}",
    name: "readSchema",
    summary: "Schema of a kind of resource",
    description: "The singular is understood too.",
    answers: { 200: JSON_SCHEMA, 404: errorResponse("there is no such kind") },
    answer: (parts, _request, below) => compiled(parts, (compiler) => schema(compiler, below)),
  },
  {
    method: "PUT",
    path: "plugins/reload",
    name: "reloadPlugins",
    summary: "Does nothing: plugins are compiled in",
    answers: { 200: { description: "done", content: { "text/plain": { const: "done" } } } },
    answer: () => ({ status: 200, body: "done", type: "text/plain" }),
    otherMethod: (method) =>
      failure(405, `please use PUT method to reload the plugins, ${method} method is not allowed.`),
  },
  {
    method: "GET",
    path: "plugins/list",
    name: "listPlugins",
    summary: "Names of the plugins, highest priority first",
    answers: { 200: answered("names", { type: "array", items: { type: "string" } }) },
    answer: (parts) => compiled(parts, pluginNames),
  },
  {
    method: "GET",
    path: "plugins/{name}",
    name: "readPlugin",
    summary: "Schema of a plugin",
    parameters: [SCHEMA_TYPE],
    answers: { 200: JSON_SCHEMA, 404: NO_PLUGIN },
    answer: (parts, { query }, [name = ""]) =>
      compiled(parts, (compiler) => pluginSchema(compiler, name, query)),
  },
  {
    method: "GET",
    path: "plugins/{name}/readme",
    name: "readPluginReadme",
    summary: "Documentation of a plugin",
    description: "A plugin of a package has that of the package. It stays the same while the gateway runs.",
    answers: {
      200: answered(
        "what its README says, 256 kB at the most",
        objectOf({ readme: { ...TEXT_OR_NULL, description: "Markdown; null: it has none." } }),
      ),
      404: errorResponse("there is no such plugin"),
    },
    answer: (parts, _request, [name = ""]) => compiled(parts, (compiler) => pluginReadme(compiler, name)),
  },
  {
    method: "GET",
    path: "plugins",
    name: "readPlugins",
    summary: "Every plugin with its priority and its schemas",
    answers: {
      200: answered("by name", {
        type: "object",
        additionalProperties: {
          type: "object",
          properties: {
            priority: { type: "number" },
            cost: {
              enum: ["waits", "records", "inline"],
              description:
                "Cost of a request: it may wait for another machine (waits), a record is kept and sent after its response (records), or work in its own time alone (inline).",
            },
            schema: { type: "object" },
            consumer_schema: {
              type: "object",
              description: "Schema of what consumers hold for it, where that is not the same.",
            },
            metadata_schema: { type: "object" },
          },
          required: ["priority", "cost", "schema"],
        },
      }),
    },
    answer: (parts) => compiled(parts, allPlugins),
  },
];

/** Operations on the whole configuration. */
const WHOLE: readonly AdminOperation[] = [
  {
    method: "POST",
    path: "configs/validate",
    name: "validateConfiguration",
    summary: "Find every error of a configuration document",
    description: "Each resource is checked by itself: references are not looked at.",
    body: {
      description: "A configuration file.",
      content: { "application/json": component("configuration"), "application/yaml": { type: "string" } },
      required: true,
    },
    answers: {
      200: answered("nothing is wrong with it", { type: "object", maxProperties: 0 }),
      400: answered("every error, or why it is no document", {
        anyOf: [component("ConfigurationErrors"), component("Refusal")],
      }),
    },
    answer: (parts, { bodyText, contentType }) =>
      compiled(parts, (compiler) => validateDocument(compiler, bodyText, contentType)),
  },
  {
    method: "POST",
    path: "adopt/{kind}/{id}",
    name: "adoptResource",
    summary: "Let files, or the build, take over a resource of the store",
    parameters: [DRY_RUN, ...NOTE_PARAMETERS],
    answers: {
      200: answered("taken over", {
        type: "object",
        properties: {
          key: component("Key"),
          static: { type: "string", description: "Place in the file; not in the answer to a dry run." },
          warnings: component("Findings"),
        },
        required: ["key"],
      }),
      400: answered("why it cannot be taken over", component("Refusal")),
      404: answered("there is no such kind, or no such resource in the store", {
        anyOf: [component("Absent"), component("Error")],
      }),
    },
    answer: adopt,
  },
];

/** Operations of plugin services, below their folders. */
const ofServices = (): AdminOperation[] =>
  serviceContributions().flatMap(({ name, plugin, operations, answer }) =>
    operations.map((operation) => ({
      ...operation,
      path: `${name}/${operation.path}`,
      answer: (parts, request, below) => answer(parts.services.end(plugin), { ...request, segments: below }),
    })),
  );

/**
 * Every operation except those on resources, which `kinds.ts` defines. A new operation is one more entry: the
 * server and the OpenAPI document both read this table.
 */
export const OPERATIONS: readonly AdminOperation[] = [
  ...ASKING,
  ...WHOLE,
  WHICH_ROUTE,
  WHICH_ROUTE_LIVE,
  ...HISTORY_OPERATIONS,
  EXPORT,
  ...OVERVIEW_OPERATIONS,
  ...CERTIFICATE_OPERATIONS,
  ...LOGS_OPERATIONS,
  NODES,
  REGEX,
  ...TRACE_OPERATIONS,
  ...ofServices(),
];

/** Returns the operations at the path of a request, one for each method; empty if no path matches. */
export function operationsAt(segments: readonly string[]): readonly AdminOperation[] {
  const found = OPERATIONS.filter(({ path }) => fits(path, segments));
  return found.filter(({ path }) => path === found[0]?.path);
}

/** Returns the operation of a request; undefined if it is for a resource or unknown. */
export const operationOf = (method: string, segments: readonly string[]): AdminOperation | undefined =>
  operationsAt(segments).find((operation) => operation.method === method);

/** Encoded documents: generating one takes 50 ms, and its inputs do not change while a compiler runs. */
const documents = new WeakMap<ControlCompiler, Uint8Array>();

async function documentOf(compiler: ControlCompiler): Promise<ApiResponse> {
  let bytes = documents.get(compiler);
  if (bytes === undefined) {
    bytes = Buffer.from(`${JSON.stringify(adminDocument(await compiler.schemaComponents()))}\n`);
    documents.set(compiler, bytes);
  }
  return { status: 200, body: bytes, type: "application/json" };
}

/** @param components schemas by name, from the compiler */
export const adminDocument = (components: Readonly<Record<string, object>>): object =>
  openApiDocument(OPERATIONS, components);
