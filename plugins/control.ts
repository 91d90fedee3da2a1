import type { Contribution } from "../runtime/process/contribution.js";
import { registerContribution } from "../runtime/process/contributions.js";
import { contribution as captcha } from "./captcha/control/index.js";

/**
 * What the plugins of `index.ts` contribute to control and to the processes; one that only has steps is not here. Who imports
 * this file makes them known to its process, so control asks for contributions here alone.
 */
export const CONTRIBUTIONS: readonly Contribution[] = [captcha];

for (const contribution of CONTRIBUTIONS) registerContribution(contribution);

export {
  isOfService,
  pluginAttention,
  resourceContributions,
  serviceContributions,
} from "../runtime/process/contributions.js";
