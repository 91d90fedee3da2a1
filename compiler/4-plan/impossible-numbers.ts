import type { Operator } from "../model/plan.js";
import type { ValueFault } from "./impossible-values.js";

interface Bounds {
  least: number;
  most: number;
  reason: string;
}

const PORT: Bounds = { least: 1, most: 65_535, reason: "a port is a whole number from 1 to 65535" };
const SIZE: Bounds = { least: 0, most: Number.MAX_SAFE_INTEGER, reason: "it is a whole number from 0 on" };
const COUNT: Bounds = { least: 1, most: Number.MAX_SAFE_INTEGER, reason: "it is a whole number from 1 on" };
/** Variables that are whole numbers, with their bounds. */
const WHOLE: Readonly<Record<string, Bounds>> = {
  remote_port: PORT,
  server_port: PORT,
  // The gateway passes on no other status (RFC 9110 section 15).
  status: { least: 100, most: 999, reason: "a status is a whole number from 100 to 999" },
  request_length: SIZE,
  content_length: SIZE,
  connection: COUNT,
  connection_requests: COUNT,
  pid: COUNT,
};

/** @returns undefined if some value satisfies the comparison, or the variable has no bounds */
export function impossibleNumber(name: string, operator: Operator, value: number): ValueFault | undefined {
  const bounds = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  if (bounds === undefined) return undefined;
  const { least, most, reason } = bounds;
  const isKnown = Number.isInteger(value) && value >= least && value <= most;
  if ((operator === "==" || operator === "~=") && !isKnown) return { reason };
  if (operator === ">" && value >= most) return { reason, verb: "is never more than" };
  if (operator === ">=" && value > most) return { reason, verb: "is never at least" };
  if (operator === "<" && value <= least) return { reason, verb: "is never less than" };
  if (operator === "<=" && value < least) return { reason, verb: "is never at most" };
  return undefined;
}
