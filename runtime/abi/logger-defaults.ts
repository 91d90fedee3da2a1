import { DURABLE_DEFAULTS, LOGGER_DEFAULTS } from "./logger-defaults.gen.js";

/** What a logger that says nothing has. @param own the plugin's own part of it */
export function loggerDefaults<Own extends { batch: object }>(own: Own, delivery: unknown) {
  const ofDelivery = delivery === "durable" ? DURABLE_DEFAULTS : {};
  return { ...LOGGER_DEFAULTS, ...ofDelivery, ...own, batch: { ...LOGGER_DEFAULTS.batch, ...own.batch } };
}
