import type { RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { PluginTables } from "../../runtime/abi/plugin-tables.js";

/** "routes/shop plugins.proxy-rewrite.headers" (`config-path.ts`). */
export type ConfigPath = string;

/** Piece of a text with variables. Literals are byte strings (UTF-8 bytes, one character each). */
export type TextPart =
  | { literal: string }
  | { variable: string; fallback?: string }
  /** Capture of the regex_uri pair that matched. It is data, never expanded again. */
  | { capture: number };
export type Text = TextPart[];

/** PCRE pattern and its exact JavaScript translation. */
export interface Regex {
  pattern: string;
  options: string;
  source: string;
  flags: string;
  /** Option `u`: the subject is decoded as UTF-8 before the match and encoded after it. */
  utf8: boolean;
  engine: Engine;
  /** Reason for the engine, in one line. */
  cost: string;
  /** Pattern for the linear engine; absent with the backtracking one. */
  linear?: LinearPattern;
}

interface LinearPattern {
  source: string;
  /** Number in `source` of each capture of the pattern; 0 for a capture that is not used. */
  groups: readonly number[];
  /** Captures of `source` that hold a line feed behind the match. */
  ends: readonly number[];
  /** A match at the end of a non-empty text does not count. */
  notAtEnd?: true;
  /** Maximum bytes that still go to the backtracking engine. */
  upTo: number;
}

export type Operator = "==" | "~=" | ">" | ">=" | "<" | "<=" | "~~" | "~*" | "in" | "has" | "ipmatch";

export type Operand =
  | { kind: "text"; value: string }
  | { kind: "number"; value: number }
  | { kind: "boolean"; value: boolean }
  | { kind: "null" }
  | { kind: "list"; values: (string | number)[] }
  | { kind: "regex"; regex: Regex }
  | { kind: "addresses"; values: string[] };

/** Condition of reference section 4. "nand" is `!AND`, "nor" is `!OR`. */
export type Condition =
  | { kind: "always" }
  | { kind: "and" | "or" | "nand" | "nor"; items: Condition[] }
  | {
      kind: "compare";
      variable: string;
      operator: Operator;
      negated: boolean;
      operand: Operand;
      origin: ConfigPath;
      /**
       * Outcome, negation included, that is the same for each request under the route's methods, hosts and
       * paths; absent if requests differ. Emit targets may leave such a comparison out.
       */
      proven?: boolean;
    };

export interface HeaderAction {
  action: "add" | "remove" | "set";
  name: string;
  /** One text for each line to add; exactly one for set; none for remove. */
  values: Text[];
  origin: ConfigPath;
}

export type StepPhase = "rewrite" | "access" | "headerFilter" | "acknowledge" | "log";

/** Work of one plugin instance in one phase. The plugin types `data` in `plugins/<plugin>/index.ts`. */
export interface Step {
  plugin: string;
  phase: StepPhase;
  origin: ConfigPath;
  /** `_meta.filter`, evaluated in this phase. */
  filter: Condition | null;
  /** The access step captures the request body: it runs even if an earlier plugin has responded. */
  capturesRequest?: true;
  /** `_meta.error_response`: body of this plugin's local replies with a status of 400 or more. */
  errorResponse?: string;
  data: unknown;
}

/** Shared resource that a plugin opens. `data` belongs to the plugin; secrets in it are references. */
export interface PlannedResource {
  plugin: string;
  origin: ConfigPath;
  data: unknown;
}

export interface PlannedPipeline {
  kind: "route" | "global_rule";
  id: string;
  origin: ConfigPath;
  /** Head line of the module: "GET, POST /orders/* to upstream \"orders\"". */
  title: string;
  /** `vars` of the route, or null. */
  match: Condition | null;
  /** Shared resources in the plugins' order; absent if there are none. */
  resources?: PlannedResource[];
  /** Names from which plugins take credentials; absent if there are none. */
  credentials?: Credentials;
  /** In execution order: by phase, then priority descending, then nominal priority and name. */
  steps: Step[];
}

/** New request target: path and, if the template has a "?", query. Literals are encoded already. */
export interface TargetTemplate {
  path: Text;
  query: Text | null;
}

/** V8's backtracking engine, V8's linear one (flag `l`), or re2js. */
export type Engine = "backtracking" | "linear" | "re2";

/** Literal, or capture; `$0` is capture 0. */
export type ReplacementPart = { literal: string } | { capture: number };

/** Value of a record. Texts are byte strings. */
export type RecordPart =
  | { literal: string | number | boolean }
  /** Keeps the variable's type; the field is omitted if it is absent without a fallback. */
  | { variable: string; fallback?: string }
  | { text: Text }
  | { fields: RecordField[] }
  /** The variable, or the part if it is absent. */
  | { variable: string; otherwise: RecordPart };

export interface RecordField {
  /** Byte string. */
  name: string;
  value: RecordPart;
}

/** Plain data that is printed as a literal. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Plan of a logger, with fields of `LoggerSettings` of the runtime. */
export interface LoggerPlan {
  /** Settings that are plain data, in the order in which it is printed. */
  settings: JsonObject;
  /** `log_format` of the plugin. */
  record: RecordField[] | null;
  /** `log_format_extra`. */
  extra: RecordField[] | null;
  entryKey: Text | null;
  /** Patterns of masked texts in bodies (`settings.bodyMasks`). */
  bodyPatterns?: Regex[];
  /** Text whose hash decides whether a request is sampled (`settings.sample`). */
  sampleKey?: Text;
  /** Host name in messages. Default: that of the machine. */
  hostname?: Text;
  /** Fields of a JSON object as the key of the entry, in place of a text. */
  entryFields?: RecordField[];
}

/** Call of a logger in one phase. */
export interface LoggerCall {
  call: "rejectIfFull" | "access" | "headerFilter" | "acknowledge" | "log";
  /** `include_req_body_expr` or `include_resp_body_expr`. */
  when: { condition: Condition; field: string; origin: ConfigPath } | null;
}

export interface MetadataPlan {
  plugin: string;
  origin: ConfigPath;
  record: RecordField[] | null;
  extra: RecordField[] | null;
  settings: JsonObject;
}

/** Behaviour of the gateway as plain data: `gwc plan` prints it, emit targets turn it into code or prose. */
export interface Plan {
  version: 1;
  routes: { row: RouterRow; origin: ConfigPath; pipeline: PlannedPipeline | null }[];
  globalRules: PlannedPipeline[];
  /** By plugin; absent if there is none. */
  pluginMetadata?: MetadataPlan[];
  upstreams: UpstreamTable[];
  /** Tables for services of plugins; absent if there are none. */
  tables?: PluginTables;
}

export const pipelinesOf = ({ globalRules, routes }: Plan): PlannedPipeline[] => [
  ...globalRules,
  ...routes.flatMap(({ pipeline }) => pipeline ?? []),
];

/** Part with its own hash, from which one file is made and from nothing else. */
export type PlanPart = PlannedPipeline | MetadataPlan;

export function planOf(parts: Partial<Plan>): Plan {
  return { version: 1, routes: [], globalRules: [], upstreams: [], ...parts };
}

/** Returns "route:shop" or "global_rule:1". */
export function moduleId(pipeline: Pick<PlannedPipeline, "kind" | "id">): string {
  return `${pipeline.kind}:${pipeline.id}`;
}

/** Returns "plugin_metadata:syslog". */
export function metadataModuleId({ plugin }: Pick<MetadataPlan, "plugin">): string {
  return `plugin_metadata:${plugin}`;
}

/** Ids consist of letters, digits, "-", "_" and "."; "." and ".." would leave the folder. */
export function fileName(id: string): string {
  return id.replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
}
