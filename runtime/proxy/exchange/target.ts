import {
  DEFAULT_PATH_RULES,
  isPlainPath,
  matchedForm,
  normalBuiltPath,
  normalPath,
  otherReadings,
  PathFault,
  type PathRules,
} from "../../abi/path.js";
import type { LiveGeneration } from "../host/contract.js";
import { GatewayExchange } from "./exchange.js";
import type { ExchangeSource } from "./variables.js";

/** @returns a fault, which becomes a 400, if the path is invalid */
export function beginExchange<I extends ExchangeSource>(
  inbound: I,
  generation: LiveGeneration,
  rules: PathRules = DEFAULT_PATH_RULES,
): GatewayExchange<I> | PathFault {
  const { target } = inbound.head;
  const mark = target.indexOf("?");
  const received = mark < 0 ? target : target.slice(0, mark);
  const args = mark < 0 ? "" : target.slice(mark + 1);
  // Nearly every path needs no normalization.
  if (isPlainPath(received) || received === "*")
    return new GatewayExchange(inbound, generation, received, args);
  const uri = normalPath(received, rules);
  if (uri instanceof PathFault) return uri;
  const x = new GatewayExchange(inbound, generation, uri, args);
  x.path = matchedForm(uri);
  x.readings = otherReadings(uri, rules);
  if (uri !== received) x.target = mark < 0 ? uri : uri + target.slice(mark);
  return x;
}

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
