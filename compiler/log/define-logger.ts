import { loggerDefaults } from "../../runtime/abi/defaults.js";
import { isObject } from "../../runtime/abi/json-object.js";
import type { JsonObject, LoggerCall, LoggerPlan, Regex, StepPhase } from "../model/plan.js";
import type { Path } from "../model/source.js";
import type { Code } from "../plugin/code.js";
import type {
  PlanContext,
  PluginDefinition,
  PluginPrinter,
  PluginSettings,
  Sources,
} from "../plugin/definition.js";
import { type LoggerParts, planLogger } from "./logger.js";
import type { LoggerSettings } from "./schema.gen.js";
import { PlannedSecrets } from "./secrets.js";
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
  destination: {},
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

/** Parts of a definition by which one logger differs from another. */
export interface LoggerDefinition<Settings extends object = object> {
  /** Name of the plugin. Its runtime exports the function of that name in camel case: `gelfLogger`. */
  name: string;
  /** Defaults of the schema, by the names that modules use. Modules omit them, and the runtime adds them again. */
  defaults: { readonly batch: { readonly name: string }; readonly destination: JsonObject };
  /** Checks the settings beyond their schema, and plans those that only this logger has. */
  plan(settings: PluginSettings<Settings>, context: PlanContext, secrets: PlannedSecrets): LoggerParts;
  /** Sources of settings with another name in the module. Default: none. */
  sources?(destination: JsonObject): Sources;
  /** Setting that contains the fields of `LoggerParts.entryFields`. */
  entryFields?: Path;
  /** Name of the logger in modules, unless `name` in its settings differs from the default: "gelf log to logs.internal". */
  label(destination: JsonObject): string;
  /** Destination in words: "Graylog at logs.internal:12201". */
  describe(destination: JsonObject): string;
}

/** Members of a definition that `defineLogger` makes. */
export type LoggerMembers<Settings extends object> = Pick<
  PluginDefinition<Settings, LoggerCall, LoggerPlan>,
  | "name"
  | "phases"
  | "template"
  | "exports"
  | "plan"
  | "resource"
  | "resourceLabel"
  | "describe"
  | "guard"
  | "view"
>;

/**
 * Makes the definition of a logger: its settings become a shared resource, and its steps call that.
 *
 * ```js
 * export default definePlugin({
 *   abi: [3, 3], priority: 398, runtime: "runtime/index.js",
 *   ...defineLogger({
 *     name: "gelf-logger", defaults: DEFAULTS,
 *     plan: ({ value: { host, port } }) => ({ destination: { host, port } }),
 *     label: ({ host }) => `gelf log to ${host}`,
 *     describe: ({ host, port }) => `Graylog at ${host}:${port}`,
 *   }),
 * });
 * ```
 */
export function defineLogger<Settings extends LoggerSettings>(
  own: LoggerDefinition<Settings>,
): LoggerMembers<Settings> {
  const factory = own.name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return {
    name: own.name,
    phases: LOGGER_PHASES,
    template: "logger",
    exports: { [factory]: LOGGER_MEMBERS },
    plan(settings, context) {
      const secrets = new PlannedSecrets(context);
      const parts = own.plan(settings, context, secrets);
      const member = unmergeable(parts.destination, own.defaults.destination, "destination");
      if (member !== undefined)
        throw new Error(
          `the defaults have ${member}, which the settings lack: modules merge objects with their defaults, so leave maps out of the defaults`,
        );
      return planLogger(settings, { versions: secrets.versions, ...parts }, context);
    },
    resource: (data, printer) => loggerCode(data, factory, own, printer),
    resourceLabel: ({ settings }) => loggerName(settings, own),
    describe: ({ data }, kept) => describeCall(data, kept, own),
    guard: ({ plugin, data: { when } }) => when && { ...when, field: `${plugin}.${when.field}` },
    // View of `templates/logger.hbs`.
    view: ({ data: { call } }, printer) => ({ logger: printer.from(CALLS[call], printer.resource()), call }),
  };
}

/** Path of a member that a default object has and the object in the settings lacks: the runtime would add it. */
function unmergeable(settings: JsonObject, defaults: JsonObject, path: string): string | undefined {
  for (const [name, own] of Object.entries(defaults)) {
    const given = settings[name];
    if (!isObject(own) || !isObject(given)) continue;
    const at = `${path}.${name}`;
    const lacking = Object.keys(own).find((member) => !Object.hasOwn(given, member));
    if (lacking !== undefined) return `${at}.${lacking}`;
    const inside = unmergeable(given as JsonObject, own as JsonObject, at);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Own name, otherwise one by the destination. */
function loggerName(settings: JsonObject, own: LoggerDefinition): string {
  const { name } = settings.batch as { name: string };
  if (name === own.defaults.batch.name || !/[a-z]/i.test(name)) return own.label(destinationOf(settings));
  return /\blog[^a-z0-9]*$/i.test(name) ? name : `${name} log`;
}

const destinationOf = (settings: JsonObject) => settings.destination as JsonObject;

/** Returns `factory({ destination: … })`. */
function loggerCode(data: LoggerPlan, factory: string, own: LoggerDefinition, printer: PluginPrinter): Code {
  const { code, imported } = printer;
  const sources = { ...SOURCES, ...own.sources?.(destinationOf(data.settings)) };
  const fields = printer
    .settings(data.settings, loggerDefaults(own.defaults, data.settings.delivery), sources)
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
    fields.push(["keyOf", printer.record(data.entryFields, imported("recordText"), own.entryFields)]);
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

function describeCall({ call }: LoggerCall, kept: LoggerPlan | undefined, own: LoggerDefinition): string[] {
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
      return [`sends a record ${sample}to ${own.describe(destination)}${spooled}`];
  }
}
