import { nearest } from "../diagnostics/nearest.js";
import type { SchemaFault } from "./schema-faults.js";

/** Single cause of a failed anyOf or oneOf. */
export type Alternative =
  /** The branch that was meant; its faults say more than "none fits". */
  | { kind: "branch"; faults: SchemaFault[] }
  /** No branch accepts a value of this type. */
  | { kind: "type"; types: string[] }
  /** Fields of which one is required. */
  | { kind: "missing"; fields: string[] }
  /** Fields that exclude each other. */
  | { kind: "together"; fields: string[] };

export function alternative(fault: SchemaFault): Alternative {
  const branches = fault.branches ?? [];
  const options = fault.options ?? [];
  const fields = options.map((option) => option.required ?? []);
  if (options.every((option) => option.type === undefined && option.required !== undefined)) {
    const kind = branches.some((branch) => branch.length === 0) ? "together" : "missing";
    return { kind, fields: fields.flat() };
  }
  const typed = branches.filter((branch) => !branch.some((one) => isWrongType(one, fault)));
  if (typed.length === 0)
    return { kind: "type", types: options.flatMap((option) => [option.type ?? []].flat()) };
  const best = typed.reduce((a, b) => (score(b, fault) > score(a, fault) ? b : a));
  return { kind: "branch", faults: best };
}

/** Reports whether the branch rejects the value's own type, directly or through a nested alternative. */
function isWrongType(one: SchemaFault, whole: SchemaFault): boolean {
  if (one.path.length !== whole.path.length) return false;
  if (one.keyword === "type") return true;
  return one.keyword === "anyOf" && alternative(one).kind === "type";
}

/** Deeper and fewer faults come from the branch that was meant. */
function score(branch: readonly SchemaFault[], whole: SchemaFault): number {
  const depth = Math.max(0, ...branch.map((one) => depthOf(one) - whole.path.length + mistyped(one)));
  return depth * 10 - branch.length;
}

/** The depth of a bad name is one below its object. */
const depthOf = ({ path, keyword }: SchemaFault): number =>
  path.length + (keyword.startsWith("name:") ? 1 : 0);

/** @returns 1 for an unknown field whose name is near a known one, which was probably meant */
function mistyped(one: SchemaFault): number {
  if (one.keyword !== "additionalProperties" || one.field === undefined) return 0;
  return nearest(one.field, Object.keys(one.node.properties ?? {})) === undefined ? 0 : 1;
}
