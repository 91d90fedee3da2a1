import type { CompileResult } from "../../compiler/index.js";
import { distinctCredentials } from "../../compiler/plan/credentials.js";
import { pipelinesOf } from "../../compiler/plan/plan-document.js";
import { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";

/**
 * The routes of what was compiled, to be asked without a network.
 * @throws Error for a configuration that does not compile
 */
export function wholeOf({ plan, artifact }: Pick<CompileResult, "plan" | "artifact">): SimulatedGateway {
  if (plan === undefined || artifact === undefined) throw new Error("the configuration does not compile");
  return new SimulatedGateway(artifact, distinctCredentials(pipelinesOf(plan)));
}
