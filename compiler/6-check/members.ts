import { MEMBERS, RUNTIME_EXPORTS, SETTERS } from "../../runtime/abi/calls.gen.js";
import { nearest } from "../diagnostics/nearest.js";
import { findPlugin } from "../plugin/registry.js";

/**
 * Type of a value, as far as the check of names needs it. Examples: "Exchange"; "gwc/plugins/<name>#call" for
 * the result of a plugin's call; "T()" for a function that returns T; "" for values without members, such as
 * texts and numbers.
 */
export type ValueType = string;

export const PLAIN: ValueType = "";
export const LIST: ValueType = "Array";
export const PATTERN: ValueType = "RegExp";

/** Members of JavaScript's own types that the emitter prints. */
const LANGUAGE: Readonly<Record<string, Readonly<Record<string, ValueType>>>> = {
  [PLAIN]: { toString: "()" },
  [PATTERN]: { exec: "RegExpExecArray()", test: "()" },
  ReadonlySet: { has: "()" },
};
const INDEXED: ReadonlySet<ValueType> = new Set([LIST, "RegExpExecArray"]);

/** Types that a module exports to generated code, by name; undefined for a module that may not be loaded. */
export function exportsOf(module: string): Readonly<Record<string, ValueType>> | undefined {
  if (module === "gwc/runtime") return RUNTIME_EXPORTS;
  const plugin = /^gwc\/plugins\/(.+)$/.exec(module)?.[1];
  const calls = plugin === undefined ? undefined : findPlugin(plugin)?.exports;
  return calls && Object.fromEntries(Object.keys(calls).map((name) => [name, `${module}#${name}()`]));
}

/** Type of a member; undefined if the type has no such member. */
export function memberOf(type: ValueType, name: string): ValueType | undefined {
  const members = own(MEMBERS, type) ?? own(LANGUAGE, type);
  if (members !== undefined) return own(members, name);
  const [, plugin, call] = /^gwc\/plugins\/(.+)#([^()]+)$/.exec(type) ?? [];
  return plugin === undefined ? undefined : memberOfCall(plugin, call ?? "", name);
}

/** Message for a member that the type lacks, with the likely intended name. */
export function unknownMember(type: ValueType, name: string): string {
  const [, plugin = "", call = ""] = /^gwc\/plugins\/(.+)#([^()]+)$/.exec(type) ?? [];
  if (type === "ReadonlyHeaders" && own(MEMBERS["Headers"] ?? {}, name) !== undefined)
    return `member "${name}" writes headers that are only read: what goes upstream is x.upstream.headers`;
  const listed = own(findPlugin(plugin)?.exports ?? {}, call);
  const near = nearest(name, listed ?? Object.keys(own(MEMBERS, type) ?? {}));
  const help = near === undefined ? "" : `; did you mean "${near}"?`;
  if (listed === undefined) return `member "${name}" is not part of the exchange${help}`;
  return `member "${name}" of what ${call}() gives is not listed in "exports"${help}`;
}

/** Result of a plugin's call is flat: its members may be read or called, but have no members themselves. */
function memberOfCall(plugin: string, call: string, name: string): ValueType | undefined {
  const members = own(findPlugin(plugin)?.exports ?? {}, call);
  return members?.includes(name) ? "()" : undefined;
}

export const isSetter = (type: ValueType, name: string): boolean =>
  own(SETTERS, type)?.includes(name) ?? false;

export const hasIndex = (type: ValueType): boolean => INDEXED.has(type);

/** Type of a call's result; undefined if the type is no function. */
export const resultOf = (type: ValueType): ValueType | undefined =>
  type.endsWith("()") ? type.slice(0, -2) : undefined;

/** Common type of two; PLAIN if they differ. */
export const either = (a: ValueType, b: ValueType): ValueType => (a === b ? a : PLAIN);

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
