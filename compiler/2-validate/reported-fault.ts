import { schemaFile } from "../../schema/schemas.js";
import { ERROR_RANK } from "../diagnostics/admin-text.js";
import { type Kind, schemaOfKind } from "../model/resource.js";
import { alternative } from "./alternatives.js";
import { faultText, ruleText } from "./error-text.js";
import { collectFaults, type SchemaFault } from "./schema-faults.js";

/** Prefix of the admin API's texts, and the part of the reference's check that a value belongs to. */
export interface ErrorScope {
  errorPrefix: string;
  /** Default: a resource. */
  checkedAs?: "plugin";
}

export interface ReportedFault {
  fault: SchemaFault;
  errorMessage: string;
  errorRank: number;
  /** Text without the value; undefined if the rule of a format derives it from the value. */
  errorReason?: string | undefined;
}

type ErrorText = Omit<ReportedFault, "fault">;

/** Replaces failed alternatives by the faults of the branch that was meant; ranks follow schema order. */
export function reportedFaults(faults: readonly SchemaFault[], scope: ErrorScope): ReportedFault[] {
  const reported = faults.flatMap((fault) => expand(fault, scope));
  return reported.map((one, index) => ({ ...one, errorRank: one.errorRank + Math.min(index, 99) / 1000 }));
}

/**
 * Text of the admin API for the fault that the reference meets first (reference 1.10), without the prefix
 * "invalid configuration: ". Settings of plugins are not checked.
 * @returns undefined for a valid value
 */
export function schemaErrorText(kind: Kind, value: unknown): string | undefined {
  const reported = reportedFaults(collectFaults(schemaFile(schemaOfKind(kind)), value), {
    errorPrefix: "",
  });
  const [first, ...others] = reported;
  if (first === undefined) return undefined;
  const earliest = others.reduce((best, one) => (one.errorRank < best.errorRank ? one : best), first);
  return earliest.errorMessage.replace(/^invalid configuration: /, "");
}

/** If no rule names alternatives itself, the admin text of `oneOf`, or a fixed text of the schema, does. */
function expand(fault: SchemaFault, scope: ErrorScope, whole?: ErrorText): ReportedFault[] {
  const text = ruleError(fault, scope) ?? whole ?? schemaError(fault, scope);
  if (fault.branches === undefined) return [{ fault, ...text }];
  const meant = alternative(fault);
  if (meant.kind !== "branch") return [{ fault, ...text }];
  const keeps = fault.keyword === "oneOf" || fault.node["x-error-text"] !== undefined;
  const found = meant.faults.flatMap((one) => expand(one, scope, keeps ? text : whole));
  const last = found.at(-1);
  if (fault.more !== undefined && last !== undefined)
    last.fault = { ...last.fault, more: fault.more + (last.fault.more ?? 0) };
  return found;
}

function schemaError(fault: SchemaFault, { errorPrefix, checkedAs }: ErrorScope): ErrorText {
  return {
    errorMessage: errorPrefix + faultText(fault),
    errorRank: checkedAs === "plugin" ? ERROR_RANK.plugin : ERROR_RANK.schema,
    errorReason: errorPrefix + faultText(withoutValue(fault)),
  };
}

/** Also removes names that come from the client only. */
function withoutValue(fault: SchemaFault): SchemaFault {
  const steps = fault.steps.map((step) => (step.kind === "additional" ? { ...step, name: "***" } : step));
  const isNamed = fault.keyword === "additionalProperties";
  return { ...fault, steps, secret: true, ...(isNamed && { field: "***" }) };
}

/** Rules of a plugin have its name as prefix; those of a resource have none. */
function ruleError(fault: SchemaFault, { errorPrefix, checkedAs }: ErrorScope): ErrorText | undefined {
  const rule = ruleText(fault);
  if (rule === undefined) return undefined;
  if (checkedAs === "plugin") return { errorMessage: errorPrefix + rule, errorRank: ERROR_RANK.pluginRule };
  return { errorMessage: rule, errorRank: resourceRuleRank(fault) };
}

/** Resources have few rules: exclusive fields, plugin settings that are no object, and those of upstreams. */
function resourceRuleRank({ keyword, path }: SchemaFault): number {
  if (keyword === "not") return ERROR_RANK.exclusive;
  return path[0] === "plugins" ? ERROR_RANK.plugin : ERROR_RANK.upstream;
}
