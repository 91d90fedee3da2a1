import type { Credentials } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { pluginSchemaFile, type SchemaNode, schemaFile } from "../../schema/schemas.js";
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
    for (const [field, place, byDefault] of credentialSettings(name)) {
      const value = config.value[field] ?? byDefault;
      if (typeof value === "string") names[place].add(utf8(value).toLowerCase());
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

export type CredentialPlace = "header" | "query";

type CredentialSetting = [field: string, place: CredentialPlace, byDefault: unknown];

/** By the schema of a plugin, which is asked for each route that has the plugin. */
const settingsOfSchemas = new WeakMap<SchemaNode, readonly CredentialSetting[]>();

/** Settings of a plugin that name what carries a credential. */
export function credentialSettings(plugin: string): readonly CredentialSetting[] {
  const file = pluginSchemaFile(plugin, "route");
  if (file === undefined) return [];
  const { node } = schemaFile(file);
  let settings = settingsOfSchemas.get(node);
  if (settings === undefined) settingsOfSchemas.set(node, (settings = settingsIn(node)));
  return settings;
}

const settingsIn = ({ properties = {} }: SchemaNode): CredentialSetting[] =>
  Object.entries(properties).flatMap(([field, node]) => {
    const place = node["x-credential"];
    return place === undefined ? [] : [[field, place, node.default]];
  });

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

/** Fields that an action makes of what may be a credential; all names are in lower case. */
export function copiesOf({ name, values }: HeaderAction): [variable: string, field: string][] {
  const found: [variable: string, field: string][] = [];
  for (const value of values)
    for (const part of value) {
      const variable = "variable" in part ? part.variable.toLowerCase() : "";
      if (MAY_BE_CREDENTIAL.test(variable)) found.push([variable, name.toLowerCase()]);
    }
  return found;
}

function copiesIn(steps: readonly Step[]): [variable: string, field: string][] {
  const found = steps
    .flatMap(({ data }) => headerActions(data).flatMap(copiesOf))
    .map((copy) => copy.join(" "));
  if (found.length === 0) return [];
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
