import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import {
  answered,
  errorResponse,
  inQuery,
  objectOf,
  openObject,
  TEXT_OR_NULL,
} from "../../process/operation.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { namedKind, schemaName } from "./kinds.js";
import { type AdminOperation, compiled } from "./operation.js";
import { VALIDATE_RESOURCE } from "./validate.js";

async function pluginNames(compiler: CompilerThread): Promise<ApiResponse> {
  const all = await compiler.plugins();
  return json(
    200,
    all.map(({ name }) => name),
  );
}

async function allPlugins(compiler: CompilerThread): Promise<ApiResponse> {
  const described = (await compiler.plugins()).map(async ({ name, priority, cost }) => {
    const schema = await compiler.pluginSchema(name);
    const consumer = await compiler.pluginSchema(name, "consumer");
    const isOther = JSON.stringify(consumer) !== JSON.stringify(schema);
    const metadata = await compiler.pluginSchema(name, "metadata");
    return [
      name,
      {
        ...{ priority, cost, schema },
        consumer_schema: (isOther ? consumer : null) ?? undefined,
        metadata_schema: metadata ?? undefined,
      },
    ];
  });
  return json(200, Object.fromEntries(await Promise.all(described)));
}

/** Returns the schema of a plugin's settings, or the one that `schema_type` of the query selects. */
async function pluginSchema(
  compiler: CompilerThread,
  name: string,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const type = query.get("schema_type");
  const known = type === "consumer" || type === "metadata" ? type : undefined;
  const schema = await compiler.pluginSchema(name, known);
  return schema ? json(200, schema) : failure(404, "plugin not found in subsystem http");
}

async function pluginReadme(compiler: CompilerThread, name: string): Promise<ApiResponse> {
  const readme = await compiler.pluginReadme(name);
  return readme === undefined ? failure(404, "plugin not found in subsystem http") : json(200, { readme });
}

/** Serves `GET /schema/{kind}`, also `/schema/captcha/site-keys`. @param segments the kind */
async function schema(compiler: CompilerThread, segments: readonly string[]): Promise<ApiResponse> {
  const { path } = namedKind(segments);
  const found = await compiler.schema(schemaName(path));
  return found ? json(200, found) : failure(404, `not found schema: ${path}`);
}

const SCHEMA_TYPE = inQuery(
  "schema_type",
  "Schema of the plugin's settings in consumers, or of its metadata. Default: of its settings.",
  { enum: ["consumer", "metadata"] },
);
const NO_PLUGIN = errorResponse("no such plugin, or it has no schema of this type");
const JSON_SCHEMA = answered("JSON Schema (draft-07) with all referenced schemas", { type: "object" });

/** Plugins and schemas. */
export const SCHEMA_OPERATIONS: readonly AdminOperation[] = [
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
  VALIDATE_RESOURCE,
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
        additionalProperties: openObject(
          {
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
          ["consumer_schema", "metadata_schema"],
        ),
      }),
    },
    answer: (parts) => compiled(parts, allPlugins),
  },
];
