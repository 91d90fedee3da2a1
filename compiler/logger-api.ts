/**
 * Interface for definitions of loggers: plugins that make records of exchanges and deliver them. It plans the
 * settings that all loggers have, and prints the logger as the shared resource of a module.
 */

/** Returns the defaults of a logger, which its module omits, for a kind of delivery. */
export { loggerDefaults } from "../runtime/abi/defaults.js";
/** Plans the fields that a logger adds to its records. */
export { planExtra } from "./log/format.js";
/** Plans the settings of all loggers: format, sample, bodies, masks, batch, delivery. */
export { planLogger } from "./log/logger.js";
/** Settings of every logger, as its configuration has them. */
export type { LoggerSettings } from "./log/schema.gen.js";
/** References of the secrets in a logger's settings, and their versions. */
export { PlannedSecrets } from "./log/secrets.js";
export type { UnusedSetting } from "./log/settings.js";
/** Reports settings that promise a delivery that datagrams cannot guarantee. */
export { reportDatagramPromises } from "./log/settings.js";
/** Parts of the definition of a logger: its view, its guard, the code and the name of its shared resource. */
export {
  describeLogger,
  LOGGER_MEMBERS,
  loggerCode,
  loggerGuard,
  loggerName,
  loggerView,
} from "./log/view.js";
export type { LoggerCall, LoggerPlan, RecordField } from "./model/plan.js";
