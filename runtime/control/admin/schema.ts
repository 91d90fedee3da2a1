import type { ControlCompiler } from "../compiler.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { namedKind, schemaName } from "./kinds.js";

export async function pluginNames(compiler: ControlCompiler): Promise<ApiResponse> {
  const all = await compiler.plugins();
  return json(
    200,
    all.map(({ name }) => name),
  );
}

export async function allPlugins(compiler: ControlCompiler): Promise<ApiResponse> {
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
export async function pluginSchema(
  compiler: ControlCompiler,
  name: string,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const type = query.get("schema_type");
  const known = type === "consumer" || type === "metadata" ? type : undefined;
  const schema = await compiler.pluginSchema(name, known);
  return schema ? json(200, schema) : failure(404, "plugin not found in subsystem http");
}

export async function pluginReadme(compiler: ControlCompiler, name: string): Promise<ApiResponse> {
  const readme = await compiler.pluginReadme(name);
  return readme === undefined ? failure(404, "plugin not found in subsystem http") : json(200, { readme });
}

/** Serves `GET /schema/{kind}`, also `/schema/captcha/site-keys`. @param segments the kind */
export async function schema(compiler: ControlCompiler, segments: readonly string[]): Promise<ApiResponse> {
  const { path } = namedKind(segments);
  const found = await compiler.schema(schemaName(path));
  return found ? json(200, found) : failure(404, `not found schema: ${path}`);
}
