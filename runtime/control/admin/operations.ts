import { serviceContributions } from "../../../plugins/control.js";
import {
  answered,
  component,
  errorResponse,
  inQuery,
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

const SCHEMA_TYPE = inQuery(
  "schema_type",
  "Schema of the plugin's settings in consumers, or of its metadata. Default: of its settings.",
  { enum: ["consumer", "metadata"] },
);
const NO_PLUGIN = errorResponse("no such plugin, or it has no schema of this type");
const JSON_SCHEMA = answered("JSON Schema (draft-07) with all referenced schemas", { type: "object" });

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
    summary: "Compile a resource with all others, without a change",
    body: { description: "The resource.", content: { "application/json": {} }, required: true },
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
  },
  {
    method: "GET",
    path: "schema/{kind}",
    name: "readSchema",
    summary: "Schema of a kind of resource",
    description: "The singular is accepted too.",
    answers: { 200: JSON_SCHEMA, 404: errorResponse("unknown kind") },
    answer: (parts, _request, below) => compiled(parts, (compiler) => schema(compiler, below)),
  },
  {
    method: "PUT",
    path: "plugins/reload",
    name: "reloadPlugins",
    summary: "No effect: plugins are compiled in",
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
    description: "For a plugin of a package, the README of the package, as at the start of the gateway.",
    answers: {
      200: answered(
        "its README, at most 256 kB",
        objectOf({ readme: { ...TEXT_OR_NULL, description: "Markdown; null: none." } }),
      ),
      404: errorResponse("no such plugin"),
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
                "Cost of a request: it may wait for another machine (waits), a record is stored and sent after its response (records), or only CPU time (inline).",
            },
            schema: { type: "object" },
            consumer_schema: {
              type: "object",
              description: "Schema of its settings in consumers, if different.",
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

const WHOLE: readonly AdminOperation[] = [
  {
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
          static: { type: "string", description: "Place in the file; absent in a dry run." },
          warnings: component("Findings"),
        },
        required: ["key"],
      }),
      400: answered("the reason why it cannot be taken over", component("Refusal")),
      404: answered("unknown kind, or no such resource in the store", {
        anyOf: [component("Absent"), component("Error")],
      }),
    },
    answer: adopt,
  },
];

const ofServices = (): AdminOperation[] =>
  serviceContributions().flatMap(({ name, plugin, operations, answer }) =>
    operations.map((operation) => ({
      ...operation,
      path: `${name}/${operation.path}`,
      answer: (parts, request, below) => answer(parts.services.end(plugin), { ...request, segments: below }),
    })),
  );

/** Operations except those on resources (`kinds.ts`); the server and the OpenAPI document both read them. */
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

export const adminDocument = (components: Readonly<Record<string, object>>): object =>
  openApiDocument(OPERATIONS, components);
