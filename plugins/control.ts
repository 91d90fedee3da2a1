import { type Contribution, registerContribution } from "../runtime/process/contribution.js";
import { contribution as captcha } from "./captcha/control/index.js";

/**
 * Plugins of `index.ts` that only have steps are not listed. Importing this file registers them in the
 * process: control reads contributions from here only.
 */
export const CONTRIBUTIONS: readonly Contribution[] = [captcha];

for (const contribution of CONTRIBUTIONS) registerContribution(contribution);

export {
  isOfService,
  pluginAttention,
  resourceContributions,
  serviceContributions,
} from "../runtime/process/contribution.js";
