import { isApart, prependedLines } from "../../runtime/abi/text/field.js";
import type { ConfigPath, HeaderAction, Text } from "../model/plan.js";
import { Code, code, from, joinCode } from "../plugin/code.js";
import type { HeaderView } from "../plugin/definition.js";
import { findVariable } from "../variables/variable.js";
import { printCall, WIDTH } from "./layout.js";
import { readVariable } from "./phase-locals.js";
import { literalCode } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { fieldValuesCode } from "./text.js";

/** Call on the list of headers. */
interface Call {
  step: HeaderAction["action"];
  method: "prepend" | "append" | "delete" | "set";
  name: string;
  value: Text | null;
  origin: ConfigPath;
}

const HEADERS = new Code("headers");

function callCode(list: Code, { method, origin }: Call, args: readonly Code[], width: number): Code {
  return from(origin, printCall(code`${list}.${new Code(method)}`, args, width - 1));
}

/**
 * Prints header actions as statements in the order of the plan; see `PluginPrinter.headers`.
 * @param isFirst no other statement of the step changes headers before
 */
export function headerView(
  actions: readonly HeaderAction[],
  owner: Code,
  add: "prepend" | "append",
  scope: ModuleScope,
  width: number,
  isFirst: boolean,
): HeaderView {
  const calls = actions.flatMap((action) => callsOf(action, add)).flatMap(withoutEmpty);
  const list = calls.length > 1 ? HEADERS : code`${owner}.headers`;
  const kept = keptValues(calls, owner);
  const unchanged = isFirst ? readingUnchanged(calls, kept, owner) : new Set<Call>();
  const valueCode = (call: Call) => fieldCode(call, unchanged.has(call), scope);
  if (kept.size === 0 && calls.length > 1) return groupedView(calls, owner, scope, width, valueCode);
  const firstSet = calls.findIndex((call) => call.method === "set");
  const statements = calls.flatMap((call, i) => {
    const name = kept.get(call);
    const args = [nameCode(call), ...(name === undefined ? valueCode(call) : [new Code(name, "name")])];
    const early = i === firstSet ? [...kept].map(([later, name]) => declaration(name, later, valueCode)) : [];
    return [...early, callCode(list, call, args, width)];
  });
  return { owner: calls.length > 1 ? owner : null, statements };
}

/**
 * Groups consecutive constant calls into one call, with edits that are prepared when the module is loaded.
 */
function groupedView(
  calls: readonly Call[],
  owner: Code,
  scope: ModuleScope,
  width: number,
  valueCode: (call: Call) => Code[],
): HeaderView {
  const groups: Call[][] = [];
  for (const call of calls) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && isConstant(last) && isConstant(call)) groups.at(-1)?.push(call);
    else groups.push([call]);
  }
  const list = groups.length > 1 ? HEADERS : code`${owner}.headers`;
  const statements = groups.flatMap((group) => {
    const [only] = group;
    if (only === undefined) return [];
    if (group.length > 1)
      return [from(only.origin, code`${list}.edit(${editsCode(group, owner, scope, valueCode)})`)];
    return [callCode(list, only, [nameCode(only), ...valueCode(only)], width)];
  });
  return { owner: groups.length > 1 ? owner : null, statements };
}

/** `const requestHeadersToSet = headerEdits(["set", "X-A", "b"], …);` */
function editsCode(
  group: readonly Call[],
  owner: Code,
  scope: ModuleScope,
  valueCode: (call: Call) => Code[],
): Code {
  const edits = group.map((call) => {
    const items = [literalCode(call.method), nameCode(call), ...valueCode(call)];
    return from(call.origin, code`[${joinCode(items, ", ")}]`);
  });
  const base = `${owner.text === "x.upstream" ? "request" : "response"}Header${purposeOf(group)}`;
  const value = printCall(scope.imported("headerEdits"), edits, WIDTH - `const ${base} = ;`.length);
  const first = group[0]?.origin;
  return scope.constant(base, first === undefined ? value : from(first, value));
}

const PURPOSE = { add: "sToAdd", remove: "sToRemove", set: "sToSet" } as const;

/** End of the name of a group of calls, by their action. */
function purposeOf([first, ...others]: readonly Call[]): string {
  return first !== undefined && others.every(({ step }) => step === first.step)
    ? PURPOSE[first.step]
    : "Edits";
}

/** A deletion uses the name in lower case; only written headers keep its spelling. */
function nameCode({ method, name }: Call): Code {
  return literalCode(method === "delete" ? name.toLowerCase() : name);
}

/** @param isUnchanged its value reads headers as they were at the start of the step */
function fieldCode({ value }: Call, isUnchanged: boolean, scope: ModuleScope): Code[] {
  if (value === null) return [];
  const { phase } = scope;
  if (phase !== undefined) phase.isUnchanged = isUnchanged;
  const printed = fieldValuesCode(value, scope);
  if (phase !== undefined) phase.isUnchanged = false;
  return [printed];
}

function isConstant({ value }: Call): boolean {
  return value === null || value.every((part) => "literal" in part);
}

function declaration(name: string, call: Call, valueCode: (call: Call) => Code[]): Code {
  return code`const ${new Code(name)} = ${from(call.origin, joinCode(valueCode(call), ""))}`;
}

/**
 * Values of the set step that read a header which an earlier action of it changes. They are read before the
 * step.
 */
function keptValues(calls: readonly Call[], owner: Code): Map<Call, string> {
  const kept = new Map<Call, string>();
  const [changed, names] = [new Set<string>(), new Set<string>()];
  for (const call of calls) {
    if (call.step !== "set") continue;
    if (call.value !== null && readsChanged(call.value, changed, owner)) {
      let name = constantName(call.name);
      while (names.has(name)) name += "Too";
      names.add(name);
      kept.set(call, name);
    }
    changed.add(call.name.toLowerCase());
  }
  return kept;
}

/** Calls whose values read no header that a call before them changes. */
function readingUnchanged(
  calls: readonly Call[],
  kept: ReadonlyMap<Call, string>,
  owner: Code,
): ReadonlySet<Call> {
  const unchanged = new Set<Call>();
  const changed = new Set<string>();
  const firstSet = calls.find(({ method }) => method === "set");
  for (const call of calls) {
    // Kept values are read in front of the first call that sets a header.
    const read = [...(call === firstSet ? kept.keys() : []), ...(kept.has(call) ? [] : [call])];
    for (const one of read)
      if (one.value !== null && !readsChanged(one.value, changed, owner)) unchanged.add(one);
    changed.add(call.name.toLowerCase());
  }
  return unchanged;
}

function callsOf({ action: step, name, values, origin }: HeaderAction, add: "prepend" | "append"): Call[] {
  if (step === "remove") return [{ step, method: "delete", name, value: null, origin }];
  if (step === "set")
    return values.map((value, i) => ({ step, method: i === 0 ? "set" : "append", name, value, origin }));
  const added = add === "append" ? values : prepended(name.toLowerCase(), values);
  return added.map((value) => ({ step, method: add, name, value, origin }));
}

/** Simplifies an empty constant: adding it does nothing, and setting it deletes the header. */
function withoutEmpty(call: Call): Call[] {
  if (call.value === null || call.value.some((part) => !("literal" in part) || part.literal !== ""))
    return [call];
  return call.method === "set" ? [{ ...call, method: "delete", value: null }] : [];
}

/**
 * Several values become `a,b,client`: constants are joined at compile time, other values prepended last
 * first.
 */
function prepended(lower: string, values: readonly Text[]): Text[] {
  const constants = values.map((text) => text.map((part) => ("literal" in part ? part.literal : undefined)));
  if (isApart(lower) || constants.some((parts) => parts.includes(undefined))) return [...values].reverse();
  const [first = "", ...rest] = constants.map((parts) => parts.join("")).filter((value) => value !== "");
  return prependedLines(lower, first, rest).map((literal) => [{ literal }]);
}

/** Reference 16.9: a value reads the headers as they were before the set step. */
function readsChanged(value: Text, changed: ReadonlySet<string>, owner: Code): boolean {
  return value.some((part) => {
    if (!("variable" in part)) return false;
    const found = findVariable(part.variable);
    if (found?.parameter === undefined || !readVariable(found).text.startsWith(`${owner.text}.headers`))
      return false;
    return changed.has(found.parameter.toLowerCase());
  });
}

/** Name of the local for a header: "X-Next-Page" becomes newXNextPage. */
function constantName(header: string): string {
  const words = header.toLowerCase().split(/[^a-z0-9]+/);
  return `new${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
}
