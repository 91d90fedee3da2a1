import { isObject } from "../../runtime/abi/json-object.js";
import { MAX_VALUES } from "../../runtime/abi/resource-limits.js";
import { pluginMetadataFile } from "../../schema/schemas.js";
import { diagnostic } from "../diagnostics/report.js";
import { type Diagnostic, hasErrors } from "../model/diagnostic.js";
import { type Kind, type Resource, schemaOfKind, singular } from "../model/resource.js";
import type { Path, Spanned } from "../model/source.js";
import { below, check } from "./check.js";
import { checkOf, unknownPlugin, validatePlugins } from "./plugins.js";
import { label } from "./words.js";

/**
 * Maximum items of a list and fields of an object: ten times those of the largest known configurations.
 * Compiling a list takes at least time in proportion to its length, and other writes wait for it.
 */
const MAX_ENTRIES = 10_000;

export interface Extent {
  /** First list or object with too many entries; undefined if none has. */
  long: { path: Path; count: number } | undefined;
  /** Number of texts, numbers, lists, objects and other values, plus each `$` in a text or a name. */
  values: number;
}

export function extentOf(value: unknown): Extent {
  let values = 0;
  const open: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    values += 1;
    const { path } = one;
    if (typeof one.value === "string") values += dollars(one.value);
    if (typeof one.value !== "object" || one.value === null) continue;
    const isList = Array.isArray(one.value);
    const entries = Object.entries(one.value);
    if (entries.length > MAX_ENTRIES) return { long: { path, count: entries.length }, values };
    for (const [name, member] of entries.reverse()) {
      if (!isList) values += dollars(name);
      if (typeof member === "object")
        open.push({ value: member, path: [...path, isList ? Number(name) : name] });
      else values += 1 + (typeof member === "string" ? dollars(member) : 0);
    }
  }
  return { long: undefined, values };
}

function dollars(text: string): number {
  let count = 0;
  for (let at = text.indexOf("$"); at >= 0; at = text.indexOf("$", at + 1)) count += 1;
  return count;
}

export interface ResourceOptions {
  plugins: readonly string[];
  /** Default: "file". */
  from?: Resource["from"];
  /** Set if the value need not hold it, as in an admin path. */
  id?: string;
}

/** Size as JSON: the limit of an admin API body, also for files. */
const MAX_CHARACTERS = 1_572_864;

/**
 * The id is `options.id`, otherwise that of the value, which is then required. @returns undefined if there is
 * an error
 */
export function validateResource(
  kind: Kind,
  located: Spanned,
  options: ResourceOptions,
): { resource: Resource | undefined; diagnostics: Diagnostic[] } {
  const word = singular(kind);
  const large = sizeFault(located, word);
  if (large) return { resource: undefined, diagnostics: [large] };
  const diagnostics = check(schemaOfKind(kind), {
    located,
    root: word,
    errorPrefix: "invalid configuration: ",
  });
  const id = options.id ?? ownId(kind, located.value);
  if (isObject(located.value)) {
    const field = kind === "consumers" ? "username" : "id";
    const misspelt = diagnostics.some((one) => one.help === `did you mean "${field}"?`);
    if (id === undefined && !misspelt && !Object.hasOwn(located.value, field) && kind !== "consumers")
      diagnostics.push(
        diagnostic("GW2102", located.spans.value([]), { field: `"${field}"`, where: `the ${word}` }),
      );
    diagnostics.push(
      ...validateParts(kind, located as Spanned<Record<string, unknown>>, options.plugins, id),
    );
  }
  if (id === undefined || hasErrors(diagnostics)) return { resource: undefined, diagnostics };
  const { value, spans } = located;
  return { resource: { value, spans, kind, id, from: options.from ?? "file" }, diagnostics };
}

/**
 * A resource with too many characters, list items or values is not checked further.
 * @returns undefined if it is small enough
 */
function sizeFault(located: Spanned, word: string): Diagnostic | undefined {
  const size = JSON.stringify(located.value ?? null).length;
  if (size > MAX_CHARACTERS)
    return diagnostic("GW2127", located.spans.value([]), { word, size, limit: MAX_CHARACTERS });
  // Each entry has at least two characters.
  if (size <= 2 * MAX_ENTRIES) return undefined;
  const { long, values: count } = extentOf(located.value);
  if (!long && count <= MAX_VALUES) return undefined;
  const finding = long
    ? diagnostic("GW2133", located.spans.value(long.path), {
        ...{ label: label(long.path, word), count: long.count, limit: MAX_ENTRIES },
      })
    : diagnostic("GW2138", located.spans.value([]), { word, count, limit: MAX_VALUES });
  return { ...finding, errorMessage: `invalid configuration: ${finding.message}` };
}

/** @returns undefined if the id has a wrong type */
export function ownId(kind: Kind, value: unknown): string | undefined {
  const id = isObject(value) ? value[kind === "consumers" ? "username" : "id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

function validateParts(
  kind: Kind,
  located: Spanned<Record<string, unknown>>,
  plugins: readonly string[],
  id: string | undefined,
): Diagnostic[] {
  if (kind === "plugin_metadata") return id === undefined ? [] : validateMetadata(located, plugins, id);
  if (!isObject(located.value["plugins"])) return [];
  const settings = Object.entries(located.value["plugins"]);
  // The resource's schema has already reported settings that are no object.
  const objects = Object.fromEntries(settings.filter(([, value]) => isObject(value)));
  const at = [...(located.at ?? []), "plugins"];
  const part = { value: objects, spans: located.spans.below(["plugins"]), at };
  return validatePlugins(part, kind === "consumers" ? "consumer" : "route", plugins);
}

function validateMetadata(
  located: Spanned<Record<string, unknown>>,
  plugins: readonly string[],
  id: string,
): Diagnostic[] {
  if (!plugins.includes(id)) {
    const unknown = unknownPlugin(id, located, plugins);
    return [{ ...unknown, span: located.spans.value(["id"]), errorMessage: "invalid plugin name" }];
  }
  const root = `plugin_metadata "${id}"`;
  const errorPrefix = "invalid configuration: ";
  return checkOf(id, pluginMetadataFile(id), { located: below(located, []), root, errorPrefix });
}
