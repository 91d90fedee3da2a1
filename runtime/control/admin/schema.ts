import type { ControlCompiler } from "../compiler.js";
import { type Answer, failure, json } from "./answer.js";
import { namedKind, schemaName } from "./kinds.js";

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

/** `GET /schema/{kind}`, also `/schema/captcha/site-keys`, and `/schema/plugins/{name}`. */
export async function schema(
  compiler: ControlCompiler,
  segments: string[],
  query: URLSearchParams,
): Promise<Answer> {
  const [first = "", name] = segments;
  if (first === "plugins" && name !== undefined) return pluginSchema(compiler, name, query);
  const { path } = namedKind(segments);
  const found = first === "plugins" ? null : await compiler.schema(schemaName(path));
  return found ? json(200, found) : failure(404, `not found schema: ${path}`);
}
