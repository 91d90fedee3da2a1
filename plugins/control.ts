import type { Contribution } from "../runtime/process/contribution.js";
import { registerContribution } from "../runtime/process/contributions.js";
import { contribution as captcha } from "./captcha/control/index.js";

/**
 * Contributions of the plugins in `index.ts` to control and to the processes; plugins that only have steps
 * are not listed. Importing this file registers them in the process: control reads contributions from here
 * only.
 */
export const CONTRIBUTIONS: readonly Contribution[] = [captcha];

for (const contribution of CONTRIBUTIONS) registerContribution(contribution);

export {
  isOfService,
  pluginAttention,
  resourceContributions,
  serviceContributions,
} from "../runtime/process/contributions.js";
