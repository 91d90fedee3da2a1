import type { CompileResult } from "../../compiler/index.js";
import { distinctCredentials } from "../../compiler/plan/credentials.js";
import { pipelinesOf } from "../../compiler/plan/whole.js";
import { WholeConfiguration } from "../../runtime/control/in-process/whole-configuration.js";

/**
 * The routes of what was compiled, to be asked without a network.
 * @throws Error for a configuration that does not compile
 */
export function wholeOf({ plan, artifact }: Pick<CompileResult, "plan" | "artifact">): WholeConfiguration {
  if (plan === undefined || artifact === undefined) throw new Error("the configuration does not compile");
  return new WholeConfiguration(artifact, distinctCredentials(pipelinesOf(plan)));
}
