import type { Code, Guard, PluginPrinter, TypedStep } from "../plugin/definition.js";
import type { LoggerCall, LoggerPlan } from "./plan.js";

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
