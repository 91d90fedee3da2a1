import { isObject } from "../../runtime/abi/json-object.js";
import { schemaFile } from "../../schema/schemas.js";
import { diagnostic } from "../diagnostics/report.js";
import { type Diagnostic, hasErrors } from "../model/diagnostic.js";
import { findKind, type Kind, kinds, type Resource, type ResourceName } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { plugins } from "../plugin/registry.js";
import { parseText, reportAtReference } from "../variables/text.js";
import { below, check } from "./check.js";
import { foreignProduct } from "./foreign-product.js";
import { validatePlugins } from "./plugins.js";
import { ownId, validateResource } from "./resource.js";
import { withoutTests } from "./tests.js";
import { outlineValidator, validator } from "./validators.js";

const CHECKED: ReadonlySet<Kind> = new Set(["routes", "services", "plugin_configs", "global_rules"]);
const REFERENCES = ["service_id", "plugin_config_id", "upstream_id"];

/**
 * Returns the parts of an invalid resource that can still be checked: references, condition, and plugins with
 * valid settings. One mistake must not hide the next.
 */
function salvageResources(kind: Kind, located: Spanned, plugins: readonly string[]): Resource[] {
  const { value, spans } = located;
  const ofPlugin = (findKind(kind)?.references ?? []).map(({ field }) => field);
  if (!(CHECKED.has(kind) || ofPlugin.length > 0) || !isObject(value)) return [];
  const kept = [...REFERENCES, ...ofPlugin].filter((field) =>
    ["string", "number"].includes(typeof value[field]),
  );
  if (kind === "routes" && isSoundCondition(located, value)) kept.push("vars");
  const fields = Object.fromEntries(kept.map((field) => [field, value[field]]));
  const settings = isObject(value["plugins"]) ? Object.entries(value["plugins"]) : [];
  const sound = settings.filter(([name, one]) => {
    if (!isObject(one)) return false;
    const part = { value: { [name]: one }, spans: spans.below(["plugins"]) };
    return !hasErrors(validatePlugins(part, "route", plugins));
  });
  return [
    {
      kind,
      id: ownId(kind, value) ?? "",
      from: "file",
      value: { ...fields, plugins: Object.fromEntries(sound) },
      spans,
    },
  ];
}

function isSoundCondition(located: Spanned, { vars }: Record<string, unknown>): boolean {
  if (vars === undefined) return false;
  const subject = { located: below(located, ["vars"]), root: "vars", errorPrefix: "" };
  return check("parts/expression.json", subject).length === 0;
}

const DEPLOYMENT = "deployment.json";

/** Each key has the form of its schema. */
export type DeploymentPart = Spanned<Record<string, unknown>>;

export interface ValidatedConfiguration {
  resources: Resource[];
  /** Resources with errors and a readable id: a reference to one of them is not dangling. */
  refused: ResourceName[];
  /** Parts of resources with errors that can still be checked. */
  partial: Resource[];
  /** Undefined if the file has none of the keys, or errors in them. */
  deployment: DeploymentPart | undefined;
  diagnostics: Diagnostic[];
}

/** Checks one configuration file; an empty one is an empty configuration. */
export function validateConfiguration(
  document: Spanned,
  options: { plugins: readonly string[] },
): ValidatedConfiguration {
  const result: ValidatedConfiguration = {
    resources: [],
    refused: [],
    partial: [],
    deployment: undefined,
    diagnostics: [],
  };
  if (document.value === null) {
    result.diagnostics.push(diagnostic("GW1023", document.spans.value([])));
    return result;
  }
  const foreign = foreignProduct(document.value);
  if (foreign !== undefined) {
    const { product, at, help } = foreign;
    const found = diagnostic(
      "GW2128",
      document.spans.key(at),
      { product },
      help === undefined ? {} : { help },
    );
    result.diagnostics.push(found);
    return result;
  }
  const outlined = checkOutline(document);
  result.diagnostics.push(...outlined, ...checkSections(document));
  if (!isObject(document.value)) return result;
  for (const kind of kinds()) {
    const list = document.value[kind];
    if (!Array.isArray(list)) continue;
    for (const index of list.keys()) take(kind, index, document, options.plugins, result);
  }
  const part = deploymentPart(document.value);
  if (Object.keys(part).length > 0 && (outlined.length === 0 || validator(DEPLOYMENT)(part)))
    result.deployment = { value: part, spans: document.spans };
  if (result.deployment !== undefined) result.diagnostics.push(...absentInLines(result.deployment));
  return result;
}

function take(
  kind: Kind,
  index: number,
  document: Spanned,
  plugins: readonly string[],
  result: ValidatedConfiguration,
): void {
  const located = below(document, [kind, index]);
  const { resource, diagnostics } = validateResource(kind, located, { plugins });
  result.diagnostics.push(...diagnostics);
  if (resource !== undefined) result.resources.push(resource);
  const id = ownId(kind, located.value);
  if (resource === undefined && id !== undefined) result.refused.push({ kind, id });
  if (resource === undefined) result.partial.push(...salvageResources(kind, located, plugins));
}

/** Leaves out resources, which are checked individually so that a bad one does not affect others. */
export function checkOutline(document: Spanned): Diagnostic[] {
  const subject = {
    located: { value: outline(withoutTests(document).value), spans: document.spans },
    root: "configuration",
    errorPrefix: "invalid configuration: ",
  };
  return check("configuration.json", subject, outlineValidator());
}

function checkSections(document: Spanned): Diagnostic[] {
  const { value } = document;
  if (!isObject(value)) return [];
  return plugins()
    .flatMap(({ sections = [] }) => sections)
    .filter(({ name }) => value[name] !== undefined)
    .flatMap(({ name, check: findingsIn }) => findingsIn?.(below(document, [name])) ?? []);
}

function outline(value: unknown): unknown {
  if (!isObject(value)) return value;
  const lists = kinds()
    .filter((kind) => Array.isArray(value[kind]))
    .map((kind) => [kind, []]);
  return { ...value, ...Object.fromEntries(lists) };
}

export function deploymentPart(value: Record<string, unknown>): DeploymentPart["value"] {
  const keys = Object.keys(schemaFile(DEPLOYMENT).node.properties ?? {});
  return Object.fromEntries(keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]])));
}

/** Reports variables of `gw.access_log.format` without a value in any line; its own check reports unknown ones. */
function absentInLines({ value, spans }: Spanned<Record<string, unknown>>): Diagnostic[] {
  const gw = value["gw"];
  const log = isObject(gw) ? gw["access_log"] : undefined;
  const format = isObject(log) ? log["format"] : undefined;
  if (typeof format !== "string") return [];
  const found: Diagnostic[] = [];
  const report = reportAtReference(format, 0, spans.value(["gw", "access_log", "format"]), (one) =>
    found.push(one),
  );
  const rules = { now: "log", place: "a line of the access log", captures: undefined } as const;
  parseText(format, rules, (fault) => {
    if (fault.code === "GW4418") report(fault);
  });
  return found;
}
