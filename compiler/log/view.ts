import type { Code, Guard, PluginPrinter, TypedStep } from "../plugin/definition.js";
import type { JsonObject, LoggerCall, LoggerPlan } from "./plan.js";

/** Members of a logger that modules use. */
export const LOGGER_MEMBERS: readonly string[] = [
  "resource",
  "admit",
  "access",
  "acknowledge",
  "headerFilter",
  "log",
];

/** `factory({ key: "…", … })`: what the module makes of a logger's settings. @param factory what the plugin calls it */
export function loggerCode(data: LoggerPlan, factory: string, printer: PluginPrinter): Code {
  const { code, imported } = printer;
  const fields: [string, Code][] = Object.entries(data.settings).map(([name, value]) => [
    name,
    printer.data(value),
  ]);
  if (data.record !== null) fields.push(["record", printer.record(data.record, imported("recordText"))]);
  if (data.extra !== null) fields.push(["extra", printer.record(data.extra, null)]);
  if (data.entryKey !== null) fields.push(["keyOf", printer.textOf(data.entryKey)]);
  return code`${imported(factory)}(${printer.object(fields)})`;
}

/** What a step of a logger does. @param where its destination in words */
export function describeLogger(
  { data: { call } }: TypedStep<LoggerCall>,
  kept: LoggerPlan | undefined,
  where: (destination: JsonObject) => string,
): string[] {
  const destination = (kept?.settings.destination ?? {}) as JsonObject;
  const spooled = kept?.settings.delivery === "durable" ? ", by way of a spool on disk" : "";
  switch (call) {
    case "admit":
      return ["answers 503 when there is no room for its record"];
    case "access":
      return ["keeps the request's body for its record"];
    case "headerFilter":
      return ["keeps the response's body for its record"];
    case "acknowledge":
      return ["waits until its record is on disk"];
    case "log":
      return [`sends a record to ${where(destination)}${spooled}`];
  }
}

/** What `templates/logger.hbs` prints. */
export function loggerView(
  { data: { call } }: TypedStep<LoggerCall>,
  printer: PluginPrinter,
): Record<string, unknown> {
  return { logger: printer.resource(), call };
}

/** The condition on a body, around the step that keeps it. */
export function loggerGuard({ plugin, data: { when } }: TypedStep<LoggerCall>): Guard | null {
  return when === null ? null : { ...when, field: `${plugin}.${when.field}` };
}
