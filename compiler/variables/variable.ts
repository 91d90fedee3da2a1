import { isApart } from "../../runtime/abi/text/field.js";
import { type Availability, VARIABLES, type Variable } from "../../runtime/abi/variables.js";
import { distanceIfNear, nearest } from "../diagnostics/nearest.js";
import type { Condition } from "../model/plan.js";
import { pluginVariable, pluginVariableNames } from "../plugin/contributions.js";

/** Variable of a name; the parameter is that of a prefixed group ("q" of `arg_q`). */
export interface FoundVariable {
  variable: Variable;
  parameter: string | undefined;
}

const PLAIN = new Map(VARIABLES.filter((v) => !v.prefixed).map((v) => [v.name, v]));
const PREFIXED = VARIABLES.filter((v) => v.prefixed).sort((a, b) => b.name.length - a.name.length);
const ORDER: readonly Availability[] = ["request", "upstream", "response", "log", "record"];
/** Groups that name a header: as in nginx, in lower case with "_" for "-". */
const FIELD_GROUPS: ReadonlySet<string> = new Set(["http_", "sent_http_", "upstream_http_"]);

/** @returns undefined if there is no such variable, or a group has no parameter */
export function findVariable(name: string): FoundVariable | undefined {
  const plain = PLAIN.get(name) ?? pluginVariable(name);
  if (plain !== undefined) return { variable: plain, parameter: undefined };
  const group = PREFIXED.find((v) => name.startsWith(v.name) && name.length > v.name.length);
  if (group === undefined) return undefined;
  const rest = name.slice(group.name.length);
  const parameter = FIELD_GROUPS.has(group.name) ? rest.toLowerCase().replaceAll("_", "-") : rest;
  return { variable: group, parameter };
}

/** Reports whether it names a header whose lines are never joined: a header value that reads it has several lines. */
export function hasLines({ variable, parameter }: FoundVariable): boolean {
  return variable.lines !== undefined && parameter !== undefined && isApart(parameter);
}

export function isAvailable(variable: Variable, now: Availability): boolean {
  return ORDER.indexOf(variable.from) <= ORDER.indexOf(now);
}

/** Variables known at the response's head, by the similar one that is known only at its end. */
const BY_THEN: Readonly<Record<string, string>> = {
  upstream_response_time: "upstream_header_time, the time until the response's head",
};

/**
 * Help for a variable without a value yet. Headers and status leave before the body has come. Values that are
 * counted until its end are for loggers only, even if a step buffers the body.
 * @returns undefined for the catalogue's help
 */
export function availabilityHelp({ name, from }: Variable, now: Availability): string | undefined {
  if (from !== "log") return undefined;
  const instead = now === "response" ? BY_THEN[name] : undefined;
  const known = "use it only in logs (log_format, gw.access_log): it is known after the response was sent";
  return instead === undefined ? known : `${known}; here use ${instead}`;
}

/** Reports whether all variables of a condition are known at stage `now`. */
export function isKnown(condition: Condition, now: Availability): boolean {
  if (condition.kind === "always") return true;
  if (condition.kind !== "compare") return condition.items.every((item) => isKnown(item, now));
  const found = findVariable(condition.variable);
  return found !== undefined && isAvailable(found.variable, now);
}

/** Nearest name, for "did you mean". @returns undefined if none is near */
export function nearestVariable(name: string): string | undefined {
  const wanted = name.replace(/^\$/, "");
  const group = PREFIXED.find((known) => known.name.slice(0, -1) === wanted || known.name === wanted);
  if (group !== undefined) return `${group.name}<name>`;
  const plain = nearest(wanted, [...PLAIN.keys(), ...pluginVariableNames()]);
  const member = nearestMember(wanted);
  if (plain === undefined || member === undefined) return plain ?? member?.name;
  return member.distance < (distanceIfNear(wanted, plain) ?? 0) ? member.name : plain;
}

function nearestMember(wanted: string): { name: string; distance: number } | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const { index } of wanted.matchAll(/[_.-](?=.)/g)) {
    const prefix = wanted.slice(0, index + 1);
    for (const group of PREFIXED) {
      const distance = distanceIfNear(prefix, group.name);
      if (distance === undefined || distance >= (best?.distance ?? Number.POSITIVE_INFINITY)) continue;
      const rest = wanted.slice(index + 1);
      best = { name: group.name + (FIELD_GROUPS.has(group.name) ? rest.toLowerCase() : rest), distance };
    }
  }
  return best;
}
