/**
 * Interface for what a plugin contributes to control and to `gwc`: a service, resources, operations of the
 * admin API, commands. Control loads it at its start: it reaches no package.
 */

export {
  callAdminApi,
  formatRejection,
  hasUserInfo,
  KEY_SOURCES,
  NoAdminReplyError,
  USER_INFO,
} from "../abi/admin-call.js";
/** Text for a terminal, without control characters. */
export { visible, visibleLine } from "../abi/text/unseen.js";
export type { RealIpHeader } from "../http/client-address.js";
export { type ApiResponse, failure, json } from "./api-response.js";
export { complain, printJson } from "./complain.js";
export {
  type CommandGroup,
  type CommandOption,
  type Contribution,
  type Counters,
  type Issued,
  type OperationRequest,
  type PluginAttention,
  type ResourceContribution,
  type SectionContext,
  type ServiceContribution,
  type ServiceEnd,
  type ServiceHere,
  SettingsError,
  StartError,
} from "./contribution.js";
/** Messages between control and a service: a line of JSON each. */
export { LineChannel } from "./control-link.js";
export type { ListenAddress } from "./launch-plan.js";
export { log } from "./log.js";
export {
  answered,
  type DescribedOperation,
  type DescribedSchema,
  errorResponse,
  inQuery,
  listOf,
  objectOf,
  TEXT,
  TEXTS,
  TRUE_OR_FALSE,
} from "./operation.js";
/** Timeouts that grow while the other process is starved of CPU. */
export { type IsStarved, ProcessTimeout, starvationOf } from "./starvation.js";
