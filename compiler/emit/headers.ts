import type { HeaderAction, Text } from "../plan/plan.js";
import { findVariable } from "../plan/variable.js";
import { Code, type HeaderView } from "../plugin/definition.js";
import { printCall } from "./layout.js";
import { printLiteral } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { fieldValueCode, readVariable } from "./text.js";

/** One call on the header list under way. */
interface Call {
  step: HeaderAction["action"];
  method: "prepend" | "append" | "delete" | "set";
  name: string;
  value: Text | null;
}

/** Header actions as statements in the order of the plan; see `PluginPrinter.headers`. */
export function headerView(
  actions: readonly HeaderAction[],
  owner: Code,
  add: "prepend" | "append",
  scope: ModuleScope,
  width: number,
): HeaderView {
  const calls = actions.flatMap((action) => callsOf(action, add)).flatMap(withoutEmpty);
  const list = calls.length > 1 ? "headers" : `${owner.text}.headers`;
  const kept = keptValues(calls, owner);
  const firstSet = calls.findIndex((call) => call.method === "set");
  const statements = calls.flatMap((call, i) => {
    const args = [printLiteral(call.name)];
    if (call.value !== null) args.push(kept.get(call) ?? fieldValueCode(call.value, scope).text);
    const early = i === firstSet ? [...kept].map(([later, name]) => declaration(name, later, scope)) : [];
    return [...early, printCall(`${list}.${call.method}`, args, width - 1)];
  });
  return { owner: calls.length > 1 ? owner : null, statements: statements.map((text) => new Code(text)) };
}

function declaration(name: string, { value }: Call, scope: ModuleScope): string {
  return `const ${name} = ${fieldValueCode(value ?? [], scope).text}`;
}

/** Set values that read a header which an earlier action of the set step changes: they are read before that step. */
function keptValues(calls: readonly Call[], owner: Code): Map<Call, string> {
  const kept = new Map<Call, string>();
  calls.forEach((call, i) => {
    const step = calls.slice(0, i).filter((before) => before.step === "set");
    if (call.step !== "set" || call.value === null || !readsChanged(call.value, step, owner)) return;
    let name = constantName(call.name);
    while ([...kept.values()].includes(name)) name += "Too";
    kept.set(call, name);
  });
  return kept;
}

function callsOf({ action: step, name, values }: HeaderAction, add: "prepend" | "append"): Call[] {
  if (step === "remove") return [{ step, method: "delete", name, value: null }];
  if (step === "set")
    return values.map((value, i) => ({ step, method: i === 0 ? "set" : "append", name, value }));
  const added = add === "append" ? values : prepended(values);
  return added.map((value) => ({ step, method: add, name, value }));
}

/** An empty constant adds nothing, and set it deletes. */
function withoutEmpty(call: Call): Call[] {
  if (call.value === null || call.value.some((part) => !("literal" in part) || part.literal !== ""))
    return [call];
  return call.method === "set" ? [{ ...call, method: "delete", value: null }] : [];
}

/** Several values end up as `a,b,client`: constants joined at compile time, else prepended last first. */
function prepended(values: readonly Text[]): Text[] {
  const constants = values.map((text) => text.map((part) => ("literal" in part ? part.literal : undefined)));
  if (constants.some((parts) => parts.includes(undefined))) return [...values].reverse();
  const joined = constants.map((parts) => parts.join("")).filter((value) => value !== "");
  return [[{ literal: joined.join(",") }]];
}

/** Reference 16.9: a value reads the headers as they were before the set step. */
function readsChanged(value: Text, before: readonly Call[], owner: Code): boolean {
  return value.some((part) => {
    if (!("variable" in part)) return false;
    const found = findVariable(part.variable);
    if (found?.parameter === undefined || !readVariable(found).startsWith(`${owner.text}.headers`))
      return false;
    const { parameter } = found;
    return before.some((call) => call.name.toLowerCase() === parameter.toLowerCase());
  });
}

/** "X-Next-Page" becomes newXNextPage. */
function constantName(header: string): string {
  const words = header.toLowerCase().split(/[^a-z0-9]+/);
  return `new${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
}
