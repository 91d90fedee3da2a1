import type { ControlCompiler } from "../compiler.js";
import { type Answer, failure, json } from "./answer.js";
import { ADMIN_KINDS, schemaName } from "./kinds.js";

/** `/plugins/…`: list, schema of one, or all with their schemas. */
export async function plugins(
  compiler: ControlCompiler,
  segments: string[],
  query: URLSearchParams,
): Promise<Answer> {
  const [name] = segments;
  const all = await compiler.plugins();
  if (name === "list")
    return json(
      200,
      all.map((plugin) => plugin.name),
    );
  if (name !== undefined) return pluginSchema(compiler, name, query);
  const described = all.map(async (plugin) => [
    plugin.name,
    {
      priority: plugin.priority,
      schema: await compiler.pluginSchema(plugin.name),
      metadata_schema: (await compiler.pluginSchema(plugin.name, "metadata")) ?? undefined,
    },
  ]);
  return json(200, Object.fromEntries(await Promise.all(described)));
}

async function pluginSchema(
  compiler: ControlCompiler,
  name: string,
  query: URLSearchParams,
): Promise<Answer> {
  const type = query.get("schema_type");
  const known = type === "consumer" || type === "metadata" ? type : undefined;
  const schema = await compiler.pluginSchema(name, known);
  return schema ? json(200, schema) : failure(404, "plugin not found in subsystem http");
}

/** `GET /schema/{kind}` and `/schema/plugins/{name}`. */
export async function schema(
  compiler: ControlCompiler,
  segments: string[],
  query: URLSearchParams,
): Promise<Answer> {
  const [kind = "", name] = segments;
  if (kind === "plugins" && name !== undefined) return pluginSchema(compiler, name, query);
  const found = kind === "plugins" ? null : await compiler.schema(schemaName(kind));
  return found ? json(200, found) : failure(400, `not found schema: ${kind}`);
}

/** `POST /schema/validate/{routes|…}`: 200 without a body, or the schema's text without the prefix of a write. */
export async function validate(
  compiler: ControlCompiler,
  segments: string[],
  body: unknown,
): Promise<Answer> {
  const [, segment = ""] = segments;
  const kind = ADMIN_KINDS.get(segment);
  if (segments[0] !== "validate" || !kind) return failure(400, `not found schema: ${segment}`);
  if (body === undefined) return failure(400, "invalid request body: empty request body");
  const fault = await compiler.validate(kind.segment, body);
  return fault === null ? { status: 200 } : failure(400, fault);
}
