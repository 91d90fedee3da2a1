import "../../plugins/index.js";
import { distinctCredentials } from "../../compiler/4-plan/credentials.js";
import type { CompileResult } from "../../compiler/index.js";
import { pipelinesOf } from "../../compiler/model/plan.js";
import { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";

/** @throws Error if the configuration did not compile */
export function simulatedGatewayOf({
  plan,
  artifact,
}: Pick<CompileResult, "plan" | "artifact">): SimulatedGateway {
  if (plan === undefined || artifact === undefined) throw new Error("the configuration does not compile");
  return new SimulatedGateway(artifact, distinctCredentials(pipelinesOf(plan)));
}
