import type { PipelineModule } from "../../abi/route-module.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { ExchangeSource } from "../exchange/variables.js";
import type { LiveGeneration, LiveRoute } from "./contract.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";

/** Generation, as far as it chooses pipelines. */
type Chooser = Pick<LiveGeneration, "globalRules" | "match">;

/** @returns 400 for an ambiguous path, which gets no route */
export function matchRoute<I extends ExchangeSource>(x: GatewayExchange<I>): 400 | undefined {
  x.route = x.generation.match(x);
  if (ambiguityOf(x) === undefined) return undefined;
  x.route = undefined;
  x.uriParams = undefined;
  return 400;
}

/**
 * Returns the reason for rejecting an ambiguous path: an upstream may read another path in it, which has
 * another route, or for which other plugins run (docs/paths.md). `x` has its route already.
 * @returns undefined if all readings are equal
 */
export function ambiguityOf<I extends ExchangeSource>(
  x: GatewayExchange<I>,
  generation: Chooser = x.generation,
): string | undefined {
  const { readings, route } = x;
  if (readings === undefined || readings.length === 0) return undefined;
  for (const uri of readings) {
    const other = x.readAs(uri);
    other.route = generation.match(other);
    if (other.route !== route)
      return `it can also be read as ${uri}, which ${taker(other.route)}, while as received it ${taker(route)}`;
    const differing = differingPipeline(x, other, generation);
    if (differing !== undefined)
      return `it can also be read as ${uri}, for which conditions of ${differing} have different results`;
  }
  return undefined;
}

const taker = (route: LiveRoute | undefined): string =>
  route === undefined ? "matches no route" : `matches route "${route.row.id}"`;

/** Returns the global rule or route whose conditions on the path differ for the other reading. */
function differingPipeline<I extends ExchangeSource>(
  x: GatewayExchange<I>,
  other: GatewayExchange<I>,
  { globalRules }: Chooser,
): string | undefined {
  const { route } = x;
  for (const [i, { module }] of globalRules.entries())
    if (!areSame(module, CodeKind.rule + i, x, other)) return `global rule "${module.id}"`;
  if (route?.module == null || areSame(route.module, CodeKind.phase, x, other)) return undefined;
  return `route "${route.row.id}"`;
}

function areSame<I extends ExchangeSource>(
  module: PipelineModule,
  part: number,
  x: GatewayExchange<I>,
  other: GatewayExchange<I>,
): boolean {
  if (module.pathTests === undefined) return true;
  markRunning(x.route, part);
  const outcomes = module.pathTests(other);
  const same = module.pathTests(x).every((outcome, i) => outcome === outcomes[i]);
  clearRunning();
  return same;
}
