/**
 * Interface for definitions of loggers: plugins that make records of exchanges and deliver them. It plans the
 * settings that all loggers have, and prints the logger as the shared resource of a module.
 */

export { defineLogger, type LoggerDefinition, type LoggerMembers } from "./log/define-logger.js";
/** Plans the fields that a logger adds to its records. */
export { planExtra } from "./log/format.js";
export type { LoggerParts } from "./log/logger.js";
/** Settings of every logger, as its configuration has them. */
export type { LoggerSettings } from "./log/schema.gen.js";
export type { PlannedSecrets } from "./log/secrets.js";
export { planLogText, reportDatagramPromises, type UnusedSetting } from "./log/settings.js";
/** Types of the definition that `defineLogger` makes, for TypeScript's declarations. */
export type { LoggerCall, LoggerPlan, RecordField } from "./model/plan.js";
