import {
  DEFAULT_PATH_RULES,
  isPlainPath,
  matchedForm,
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
