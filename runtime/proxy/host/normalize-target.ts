import {
  DEFAULT_PATH_RULES,
  isPlainPath,
  normalBuiltPath,
  PathFault,
  type PathRules,
} from "../../abi/path.js";
import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * Normalizes a target that plugins made: a value must not lead to another resource than the template names.
 * @returns false if the target is invalid, which becomes a 400
 */
export function normalizeTarget(x: GatewayExchange, rules: PathRules = DEFAULT_PATH_RULES): boolean {
  const { outgoing } = x;
  const { target } = outgoing;
  // The matched target is normalized already.
  if (target === x.target) return true;
  const mark = target.indexOf("?");
  const made = mark < 0 ? target : target.slice(0, mark);
  if (isPlainPath(made)) return true;
  const path = normalBuiltPath(made, rules);
  if (path instanceof PathFault) return false;
  if (path !== made && !outgoing.verbatim) outgoing.target = mark < 0 ? path : path + target.slice(mark);
  return true;
}
