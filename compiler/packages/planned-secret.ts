import { utf8 } from "../../runtime/abi/text/bytes.js";
import { pluginSchemaFile } from "../../schema/schemas.js";
import { put, valueAt } from "../1-parse/values.js";
import { isLiteral, schemaSecretPaths } from "../2-validate/annotations.js";
import type { Path } from "../model/source.js";
import type { PlanContext, PluginDefinition, PluginSettings } from "../plugin/definition.js";

/** Secret of the settings that planned data contains in plain text. */
export interface PlannedSecret {
  path: Path;
  /** "a step" or "a resource" */
  data: string;
}

/** Data of a plan: of its steps, and of its shared resource if it has one. */
export interface PlannedData {
  steps: readonly { data: unknown }[];
  kept: readonly unknown[];
}

/** Value in place of a secret, to see if data depends on it. */
const MARK = "gwc-mark-in-place-of-a-secret";

/**
 * Finds a plain-text secret in planned data. A password such as "log" may occur in data that does not come
 * from it: the plugin plans again with another value in its place.
 */
export function findPlannedSecret(
  definition: PluginDefinition,
  settings: PluginSettings<object>,
  context: PlanContext,
  planned: PlannedData,
): PlannedSecret | undefined {
  const file = pluginSchemaFile(definition.name, "route");
  if (file === undefined) return undefined;
  for (const path of schemaSecretPaths(file, settings.written).flatMap(literalsAt(settings.written))) {
    const data = dataWith(valueAt(settings.written, path) as string, planned);
    if (data !== undefined && isFromSecret(definition, settings, context, path)) return { path, data };
  }
  return undefined;
}

/** Paths of the plain texts in a secret, which may be an object or a list. */
const literalsAt =
  (value: unknown) =>
  (path: Path): Path[] => {
    const secret = valueAt(value, path);
    if (isLiteral(secret)) return [path];
    if (typeof secret !== "object" || secret === null) return [];
    const steps = Array.isArray(secret) ? [...secret.keys()] : Object.keys(secret);
    return steps.flatMap((step) => literalsAt(value)([...path, step]));
  };

function dataWith(secret: string, { steps, kept }: PlannedData): string | undefined {
  if (steps.some(({ data }) => contains(data, secret))) return "a step";
  return kept.some((data) => contains(data, secret)) ? "a resource" : undefined;
}

/** Reports whether a text of the data, or a name, contains the secret: as text or as a byte string. */
function contains(data: unknown, secret: string): boolean {
  if (typeof data === "string") return data.includes(secret) || data.includes(utf8(secret));
  if (typeof data !== "object" || data === null) return false;
  return Object.entries(data).some(([name, member]) => contains(name, secret) || contains(member, secret));
}

function isFromSecret(
  definition: PluginDefinition,
  settings: PluginSettings<object>,
  context: PlanContext,
  path: Path,
): boolean {
  const kept: unknown[] = [];
  // It may need the form of the secret, such as a key in PEM: then it throws or reports an error.
  let isRejected = false;
  try {
    const steps = definition.plan(
      { ...settings, value: marked(settings.value, path), written: marked(settings.written, path) },
      {
        ...context,
        report: ({ severity }) => {
          isRejected ||= severity === "error";
        },
        setsStatus: () => {},
        resource: (data) => kept.push(data),
        secret: () => ({ reference: "", version: "" }),
      },
    );
    return isRejected || dataWith(MARK, { steps, kept }) !== undefined;
  } catch {
    return true;
  }
}

/** Copy of the settings with the mark at the path. */
function marked<T extends object>(settings: T, path: Path): T {
  const copy = structuredClone(settings);
  const [last = ""] = path.slice(-1);
  put(valueAt(copy, path.slice(0, -1)) as Record<string, unknown>, String(last), MARK);
  return copy;
}
