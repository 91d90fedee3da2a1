import { isObject } from "../../runtime/abi/json-object.js";
import { findKind } from "../model/kinds.js";
import type { Kind, Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { below, check } from "./check.js";
import { validatePlugins } from "./plugins.js";
import { ownId } from "./resource.js";

const CHECKED: ReadonlySet<Kind> = new Set(["routes", "services", "plugin_configs", "global_rules"]);
const REFERENCES = ["service_id", "plugin_config_id", "upstream_id"];

/**
 * Returns the parts of an invalid resource that can still be checked: references, condition, and plugins with
 * valid settings. One mistake must not hide the next.
 */
export function salvageResources(kind: Kind, located: Spanned, plugins: readonly string[]): Resource[] {
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
    return !validatePlugins(part, "route", plugins).some(({ severity }) => severity === "error");
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
