import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { findKind, type OwnKind } from "../plugin/kinds.js";
import type { Kind } from "./resource.js";

/** Kinds as the texts of the admin API call them (reference 1.3): "plugin config". */
const SHOWN: Partial<Record<OwnKind, string>> = {
  plugin_configs: "plugin config",
  global_rules: "global rule",
};
const shown = (kind: Kind) => SHOWN[kind as OwnKind] ?? findKind(kind)?.label ?? kind.slice(0, -1);

/** `error_msg` for a reference to nothing (reference 1.7). */
export function missingText(kind: Kind, id: string): string {
  return `failed to fetch ${shown(kind)} info by ${shown(kind)} id [${id}], response code: 404`;
}

/** `error_msg` for deleting what a route or service still names (reference 1.7). */
export function stillUsedText(kind: Kind, user: { kind: Kind; id: string }): string {
  const directly = kind === "services" ? " directly" : "";
  return `can not delete this ${shown(kind)}${directly}, ${shown(user.kind)} [${user.id}] is still using it now`;
}

/** What stands before the text of every check of a plugin's settings (reference 1.10). */
export function pluginErrorPrefix(plugin: string): string {
  return `failed to check the configuration of plugin ${plugin} err: `;
}

/** What stands before the fault of an expression, by the field that holds it (reference 1.10). */
export function expressionErrorPrefix(field: string): string {
  return `failed to validate the '${field}' expression: `;
}

/** `error_msg` of a refused write: of its first error, in the words that clients of the reference compare. */
export function adminErrorText(diagnostics: readonly Diagnostic[]): string {
  const first = diagnostics.find(({ severity }) => severity === "error");
  return first?.errorMessage ?? first?.message ?? "";
}
