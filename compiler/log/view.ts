import type { JsonObject, LoggerCall, LoggerPlan, Regex, StepPhase } from "../model/plan.js";
import type { Path } from "../model/source.js";
import type { Code } from "../plugin/code.js";
import type { Guard, PluginPrinter, Sources, TypedStep } from "../plugin/definition.js";
import { sampleInWords } from "./settings.js";

export const LOGGER_MEMBERS: readonly string[] = [
  "resource",
  "rejectIfFull",
  "access",
  "acknowledge",
  "headerFilter",
  "log",
];

/** Phases in which a logger may have a step. */
export const LOGGER_PHASES: readonly StepPhase[] = ["access", "headerFilter", "acknowledge", "log"];

/** Settings that several loggers of a route may share; for the others a constant would widen a type. */
const SHARED: ReadonlySet<string> = new Set(["batch", "redact"]);

/** Sources of settings with another name in the module. */
const SOURCES: Sources = {
  batch: {},
  requestBody: { maxBytes: [["max_req_body_bytes"], ["include_req_body"]] },
  responseBody: { maxBytes: [["max_resp_body_bytes"], ["include_resp_body"]] },
  recordId: [["record_id"], ["delivery"]],
  bodyMasks: { paths: ["redact", "body", "json_paths"] },
  bodyPatterns: ["redact", "body", "patterns"],
  sample: {
    rate: ["sample", "rate"],
    errors: ["sample", "always_errors"],
    slowerThanMs: ["sample", "always_slower_than_ms"],
  },
  sampleKeyOf: ["sample", "key"],
  record: ["log_format"],
  extra: ["log_format_extra"],
  hostnameOf: ["hostname"],
};

/** Settings on which each call depends. */
const CALLS: Readonly<Record<LoggerCall["call"], Path>> = {
  rejectIfFull: ["ack"],
  access: ["include_req_body"],
  headerFilter: ["include_resp_body"],
  acknowledge: ["ack"],
  log: [],
};

/** Own name, otherwise one by the destination. @param usual the default name */
export function loggerName(
  { batch, destination }: JsonObject,
  usual: string,
  where: (destination: JsonObject) => string,
): string {
  const { name } = batch as { name: string };
  if (name === usual || !/[a-z]/i.test(name)) return where(destination as JsonObject);
  return /\blog[^a-z0-9]*$/i.test(name) ? name : `${name} log`;
}

/**
 * Returns `factory({ destination: … })`. @param factory its name in the plugin @param entryFields setting of
 * an entry's key
 */
export function loggerCode(
  data: LoggerPlan,
  factory: string,
  defaults: JsonObject,
  printer: PluginPrinter,
  own: Sources,
  entryFields?: Path,
): Code {
  const { code, imported } = printer;
  const sources = { ...SOURCES, ...own };
  const fields = printer
    .settings(data.settings, defaults, sources)
    .map(([name, value]) => [name, SHARED.has(name) ? printer.shared(name, value) : value] as const);
  if (data.record !== null) {
    const record = printer.record(data.record, imported("recordText"), ["log_format"]);
    fields.push(["record", printer.shared("logFormat", record, imported("defineRecord"))]);
  }
  if (data.extra !== null) fields.push(["extra", printer.record(data.extra, null, ["log_format_extra"])]);
  if (data.bodyPatterns !== undefined)
    fields.push(["bodyPatterns", patternsCode(data.bodyPatterns, printer)]);
  if (data.sampleKey !== undefined) fields.push(["sampleKeyOf", printer.textOf(data.sampleKey)]);
  if (data.entryFields !== undefined)
    fields.push(["keyOf", printer.record(data.entryFields, imported("recordText"), entryFields)]);
  if (data.hostname !== undefined) fields.push(["hostnameOf", printer.textOf(data.hostname)]);
  if (data.entryKey !== null) fields.push(["keyOf", printer.textOf(data.entryKey)]);
  return code`${imported(factory)}(${printer.object(fields, sources)})`;
}

function patternsCode(patterns: readonly Regex[], printer: PluginPrinter): Code {
  const { code } = printer;
  const [first = code``, ...rest] = patterns.map((regex, i) =>
    printer.from(
      ["redact", "body", "patterns", i],
      printer.regex("bodyMask", regex, `redact.body.patterns: ${regex.pattern}`),
    ),
  );
  return code`[${rest.reduce((list, one) => code`${list}, ${one}`, first)}]`;
}

/** @param where describes the destination */
export function describeLogger(
  { data: { call } }: TypedStep<LoggerCall>,
  kept: LoggerPlan | undefined,
  where: (destination: JsonObject) => string,
): string[] {
  const destination = (kept?.settings.destination ?? {}) as JsonObject;
  const sampled = kept?.settings.sample as JsonObject | undefined;
  const sample = sampled === undefined ? "" : `${sampleInWords(sampled)} `;
  const spooled = kept?.settings.delivery === "durable" ? ", by way of a spool on disk" : "";
  switch (call) {
    case "rejectIfFull":
      return ["answers 503 when there is no room for its record"];
    case "access":
      return ["keeps the request's body for its record"];
    case "headerFilter":
      return ["keeps the response's body for its record"];
    case "acknowledge":
      return ["waits until its record is on disk"];
    case "log":
      return [`sends a record ${sample}to ${where(destination)}${spooled}`];
  }
}

/** View of `templates/logger.hbs`. */
export function loggerView(
  { data: { call } }: TypedStep<LoggerCall>,
  printer: PluginPrinter,
): Record<string, unknown> {
  return { logger: printer.from(CALLS[call], printer.resource()), call };
}

export function loggerGuard({ plugin, data: { when } }: TypedStep<LoggerCall>): Guard | null {
  return when === null ? null : { ...when, field: `${plugin}.${when.field}` };
}
