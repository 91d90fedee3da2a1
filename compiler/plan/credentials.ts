import type { Credentials } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { pluginSchemaFile, schemaFile } from "../../schema/schemas.js";
import type { ResolvedPlugin } from "../resolve/resolved.js";
import type { HeaderAction, PlannedPipeline, Step } from "./plan.js";

/**
 * Names that carry credentials of requests, in lower case: what the schemas of plugins mark with x-credential, by the
 * plugins' settings or by default; and the fields that header actions make of what may be one. Undefined when there are none.
 */
export function credentialsOf(
  plugins: readonly ResolvedPlugin[],
  steps: readonly Step[],
): Credentials | undefined {
  const names = { header: new Set<string>(), query: new Set<string>() };
  for (const { name, config } of plugins) {
    const file = pluginSchemaFile(name, "route");
    const { properties = {} } = file === undefined ? {} : schemaFile(file).node;
    for (const [field, node] of Object.entries(properties)) {
      const place = node["x-credential"];
      const value = config.value[field] ?? node.default;
      if (place !== undefined && typeof value === "string") names[place].add(utf8(value).toLowerCase());
    }
  }
  const copies = copiesIn(steps);
  if (names.header.size + names.query.size + copies.length === 0) return undefined;
  return {
    headers: [...names.header].sort(),
    query: [...names.query].sort(),
    ...(copies.length > 0 && { copies }),
  };
}

/** Credentials of all these pipelines, each that says something else once: thousands of routes say the same. */
export function distinctCredentials(
  pipelines: Iterable<Pick<PlannedPipeline, "credentials"> | null>,
): Credentials[] {
  const found = new Map<string, Credentials>();
  for (const pipeline of pipelines)
    if (pipeline?.credentials) found.set(JSON.stringify(pipeline.credentials), pipeline.credentials);
  return [...found.values()];
}

/** Whether it is a credential depends on what other routes and global rules take for one. */
const MAY_BE_CREDENTIAL = /^(?:http|arg)_/;

function copiesIn(steps: readonly Step[]): [variable: string, field: string][] {
  const found = steps.flatMap(({ data }) =>
    headerActions(data).flatMap(({ name, values }) =>
      values
        .flat()
        .flatMap((part) => ("variable" in part ? part.variable.toLowerCase() : []))
        .filter((variable) => MAY_BE_CREDENTIAL.test(variable))
        .map((variable) => `${variable} ${name.toLowerCase()}`),
    ),
  );
  return [...new Set(found)].sort().map((pair) => pair.split(" ") as [string, string]);
}

/** Those of a plugin's data, which has them in `headers` where it has any; a plugin of a package may keep anything there. */
export function headerActions(data: unknown): HeaderAction[] {
  const { headers } = (data ?? {}) as { headers?: unknown };
  return Array.isArray(headers) ? headers.filter(isHeaderAction) : [];
}

function isHeaderAction(written: unknown): written is HeaderAction {
  const { action, name, values } = (written ?? {}) as Partial<HeaderAction>;
  const isText = (value: unknown) =>
    Array.isArray(value) && value.every((part) => typeof part === "object" && part !== null);
  return (
    typeof action === "string" && typeof name === "string" && Array.isArray(values) && values.every(isText)
  );
}
