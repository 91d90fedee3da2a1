import type { Diagnostic } from "../model/diagnostic.js";
import { findKind, type Kind, type OwnKind, type ResourceName } from "../model/resource.js";

/** Words in texts of the admin API (reference 1.3): "plugin config". */
const SHOWN: Partial<Record<OwnKind, string>> = {
  plugin_configs: "plugin config",
  global_rules: "global rule",
};
const shown = (kind: Kind) => SHOWN[kind as OwnKind] ?? findKind(kind)?.label ?? kind.slice(0, -1);

/** Returns `error_msg` of reference 1.7. */
export function missingText(kind: Kind, id: string): string {
  return `failed to fetch ${shown(kind)} info by ${shown(kind)} id [${id}], response code: 404`;
}

/** `error_msg` of reference 1.7, for a resource that a route or service still names. */
export function stillUsedText(kind: Kind, user: ResourceName): string {
  const directly = kind === "services" ? " directly" : "";
  return `can not delete this ${shown(kind)}${directly}, ${shown(user.kind)} [${user.id}] is still using it now`;
}

/** Prefix of every text about a plugin's settings (reference 1.10). */
export function pluginErrorPrefix(plugin: string): string {
  return `failed to check the configuration of plugin ${plugin} err: `;
}

/** Prefix of a fault in an expression, by the field that holds it (reference 1.10). */
export function expressionErrorPrefix(field: string): string {
  return `failed to validate the '${field}' expression: `;
}

/**
 * Order of checks of a resource in the reference (`check_conf`). Each rank has room for 100 faults, 0.001
 * apart. Errors without a rank, which the reference does not know, come last.
 */
export const ERROR_RANK = {
  /** Fields that exclude each other, before the schema. */
  exclusive: 0,
  schema: 1,
  /** Rules of an upstream beyond the schema. */
  upstream: 2,
  reference: 3,
  /** A plugin's schema, then its rules. */
  plugin: 4,
  pluginRule: 4.2,
  pluginExpression: 4.4,
  pluginPlan: 4.6,
  /** `_meta.filter`, after the plugin's own check. */
  pluginFilter: 4.8,
  expression: 5,
} as const;

/** `error_msg` of a rejected write: the error that the reference meets first, in words that its clients compare. */
export function adminErrorText(diagnostics: readonly Diagnostic[]): string {
  const rank = ({ errorRank = Number.POSITIVE_INFINITY }: Diagnostic) => errorRank;
  let first: Diagnostic | undefined;
  for (const one of diagnostics)
    if (one.severity === "error" && (first === undefined || rank(one) < rank(first))) first = one;
  return first?.errorMessage ?? first?.message ?? "";
}
