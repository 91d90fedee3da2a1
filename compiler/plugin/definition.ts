import type { DefaultMasks } from "../../schema/schemas.js";
import type { Catalogue, Diagnostic, Span } from "../model/diagnostic.js";
import type { PatternScope } from "../model/pattern-subject.js";
import type {
  Condition,
  ConfigPath,
  HeaderAction,
  Json,
  JsonObject,
  RecordField,
  Regex,
  ReplacementPart,
  Step,
  StepPhase,
  TargetTemplate,
  Text,
  TextPart,
} from "../model/plan.js";
import type { ListenerInput } from "../model/plan-settings.js";
import type { ConsumerKey, ResolvedConsumer, ResolvedPlugin, RouteGuarantees } from "../model/resolved.js";
import type { PluginKind } from "../model/resource.js";
import type { Path, Spanned } from "../model/source.js";
import type { Code } from "./code.js";
import type { PluginSection, PluginVariable, ResourceTable, TextFormats } from "./contributions.js";
import type { TimeLimit } from "./time-limit.js";

/** Context in which a plugin turns its settings into steps. */
export interface PlanContext {
  /** Reports a diagnostic. After an error the steps that the plugin returns are not used. */
  report(diagnostic: Diagnostic): void;
  /** Returns the config path of a part of the settings, for steps and header actions; `[]` is the whole. */
  origin(path: Path): ConfigPath;
  /** Span of the plugin's key. */
  readonly span: Span;
  /** All consumers, for a plugin that authenticates clients. */
  consumers: readonly ResolvedConsumer[];
  /** Subject sizes and analysis budget of its patterns. */
  patterns: PatternScope;
  /** Guarantees about each request of the route, for `planCondition`; absent in a global rule. */
  guarantees?: RouteGuarantees | undefined;
  /** `_meta.error_response` as a text, which each step has, too. GW4050 warns if a plugin reads neither. */
  readonly errorResponse?: string | undefined;
  /** Port of the first listener of `gw.ssl.listen`; undefined without one, or if only known at run time. */
  securePort?: number | undefined;
  /** Its section of `plugin_attr`; {} without one. */
  attributes: Readonly<Record<string, unknown>>;
  /** Listener of the plugin's section, as configured; undefined without such a section. */
  serviceListener: ListenerInput | undefined;
  /**
   * Declares the shared resource of the plugin in this pipeline, for `PluginDefinition.resource`.
   * @throws Error at a second call
   */
  resource(data: unknown): void;
  /** Declares the status that a setting gives a response: GW4207 reports a 401 without `WWW-Authenticate`. */
  setsStatus(status: number, path: Path): void;
  /** Returns the reference that replaces the secret at `path` in the plan. */
  secret(value: string, path: Path): SecretReference;
}

/** Secret in plans, modules and keys of shared resources. */
export interface SecretReference {
  /** Argument of `ResourceContext.secret`: the text with its `${{VAR}}`, or the name of a plain-text secret. */
  reference: string;
  /** Differs if the value is known to differ; for keys of shared resources. Reveals nothing about the value. */
  version: string;
}

/** Step with the data that its plugin planned. */
export interface TypedStep<Data> extends Step {
  data: Data;
}

/** Settings of one plugin instance, valid by the plugin's schema. */
export interface PluginSettings<Settings extends object> extends Spanned<Settings> {
  /** Settings with the defaults of the schema. */
  value: Settings;
  /** Sparse settings: only fields of the configuration. */
  written: Partial<Settings> & { _meta?: { filter?: unknown } };
}

/** Step as a plugin returns it; the plan step adds the plugin's name and the filter. */
export interface PlannedStep<Data = unknown> extends Omit<TypedStep<Data>, "filter" | "plugin"> {
  /** Only prepares a later step. Runs unfiltered if `_meta.filter` reads a variable without a value yet. */
  runUnfiltered?: boolean;
  /**
   * Only prepares a later step that certainly runs. Left out if `_meta.filter` reads a variable without a
   * value yet.
   */
  skipIfFilterUnknown?: boolean;
}

/** Condition in a plugin's settings that must be true for a step to run. */
export interface Guard {
  condition: Condition;
  /** Setting with the plugin's name: `response-rewrite.vars`. */
  field: string;
  origin: ConfigPath;
}

/** Decision of the compiler about a part of the settings, with its reason. */
export interface Decision {
  /** Setting: `filters[0]`. */
  field: string;
  origin: ConfigPath;
  /** Decision and reason: `streams: a match takes at most 6 bytes`. */
  text: string;
}

/**
 * Definition of a plugin: the only hand-written compile-time code that knows its name. `Settings` is the type
 * of its schema (`schema.gen.ts`), `Data` that of its steps, `Kept` that of its shared resource.
 */
export interface PluginDefinition<Settings extends object = object, Data = unknown, Kept = unknown> {
  /** Name in configurations: lower-case words joined by hyphens; in a package at most 64 characters. */
  name: string;
  /** Steps of a phase run in descending order of `_meta.priority ?? priority`, then nominal priority, then name. */
  priority: number;
  /** `import.meta.url` of the definition, beside which are `schema.json` and `<phase>.hbs` for each phase. */
  moduleUrl: string;
  /** Template of gwc for phases without `<phase>.hbs`. Set by `defineLogger`. */
  template?: "logger";
  /** Phases in which it can have a step. */
  phases: readonly StepPhase[];
  /** Functions that its modules import from `gwc/plugins/<name>`, with the used members of results. Default: none. */
  exports?: Readonly<Record<string, readonly string[]>>;
  /** Absolute path of the type declaration of its exports. Default: `runtime/index` beside `moduleUrl`. */
  types?: string;
  /** Its package, with the time limit for its code; absent for gwc's own plugins. */
  package?: { name: string; limit: TimeLimit };
  /** Kinds of resources. `configuration.json` beside `moduleUrl` adds them, and its sections, to files. */
  kinds?: readonly PluginKind[];
  sections?: readonly PluginSection[];
  /** Checks its resources and compiles them into the table of its service. */
  table?: ResourceTable;
  /** Checks of texts, which its schemas name by `format`. */
  formats?: TextFormats;
  /** Its own diagnostics by code; codes of a package are "<NAME>-001" and so on. */
  diagnostics?: Catalogue;
  /** Variables that its run-time part reads, for all texts and conditions of a configuration. */
  variables?: readonly PluginVariable[];
  /**
   * Reserved headers: only the gateway sends them to an upstream. It removes a client's own, in any spelling,
   * from every request, also on routes without the plugin. Another plugin may declare the same header.
   */
  reservedHeaders?: readonly string[];
  /**
   * Headers, query parameters and cookies with fixed names from which it reads credentials. A configuration
   * with the plugin masks them in logs, traces and diagnostics, on all routes. Settings that name such a
   * place have `x-credential` in the schema instead.
   */
  credentials?: CredentialCarriers;
  /**
   * Entries that it adds to the default of `redact.headers` and `redact.query` in every logger, also in
   * configurations without the plugin. Not for packages: validators with these defaults are built.
   */
  defaultMasks?: DefaultMasks;
  /**
   * Member of its steps' data that contains the header actions of `planHeaderActions`. gwc masks the
   * credentials that they copy, keeps removed headers out of trailers and finds missing ones (GW4207).
   * Default: `headers`.
   */
  headerActions?: string;
  /** It may send a local reply; GW3030 warns of a route without such a plugin and an upstream. Default: false. */
  canRespond?: boolean;
  /** It authenticates clients, and needs `PlanContext.consumers`. Default: false. */
  authenticates?: boolean;
  /**
   * Returns the key of a consumer with these settings; two consumers with one key are an error (GW4302).
   * @returns undefined if the settings have none
   */
  consumerKey?(settings: ResolvedPlugin): ConsumerKey | undefined;
  /** Checks the settings beyond their schema, and returns steps, to which `filter` from `_meta` is added. */
  plan(settings: PluginSettings<Settings>, context: PlanContext): PlannedStep<Data>[];
  /** Its access step awaits; the phase is `async`. Default: false. */
  asyncAccess?: boolean;
  /** Name of the constant that holds its shared resource. Default: `RESOURCE_NAME`. */
  resourceConstant?: string;
  /** Returns that name in words, if it depends on the data: "audit log" becomes `auditLog`. */
  resourceLabel?(data: Kept): string;
  /**
   * Prints that constant, evaluated once when the module is loaded: an object whose `resource` is a
   * `SharedResource`.
   */
  resource?(data: Kept, printer: PluginPrinter): Code;
  /** Returns the condition of the plugin's own for a step; null for none. */
  guard?(step: TypedStep<Data>): Guard | null;
  /** Returns patterns whose match in `$uri` decides what a step does. */
  pathPatterns?(step: TypedStep<Data>): readonly { regex: Regex; origin: ConfigPath }[];
  /**
   * Describes a step in sentences that begin with a verb: `sets the request header X-A to "b"`. `gwc
   * explain-route` reports GW8001 without it.
   * @param kept data of the shared resource, as given to `PlanContext.resource`
   * @param isProxied true if the route has an upstream
   */
  describe?(step: TypedStep<Data>, kept: Kept | undefined, isProxied?: boolean): string[];
  /** Returns decisions about a step for operators, for `gwc check --explain` and `gwc route`. */
  decisions?(step: TypedStep<Data>): Decision[];
  /** Returns the view of a step for `<phase>.hbs`, with each field that the template names. */
  view(step: TypedStep<Data>, printer: PluginPrinter): Record<string, unknown>;
}

/** Names in requests that carry credentials. Query parameters are fields of bodies, too. */
interface CredentialCarriers {
  readonly headers?: readonly string[];
  readonly query?: readonly string[];
  /** Logs and traces mask `Cookie` and `Set-Cookie` as a whole. */
  readonly cookies?: readonly string[];
}

/** Default name of the constant that holds a shared resource. */
export const RESOURCE_NAME = "resource";

/** View of `templates/headers.hbs`. */
export interface HeaderView {
  /** Owner of the header list if calls share `const { headers } = owner;`, otherwise null. */
  owner: Code | null;
  /** Calls on the list, and declarations of values that must be read before the set step. */
  statements: Code[];
}

/** Rule of a body filter; the runtime receives it as `ReplaceRule`. */
export interface BodyFilterRule {
  pattern: Code;
  replacement: readonly ReplacementPart[];
  /** Decodes the body as UTF-8 before the rule and encodes it after. */
  utf8: boolean;
  /** Lookahead and lookbehind in bytes for a streamed body (`Flow`); null if the rule needs the whole body. */
  slide: {
    window: number;
    lookbehind: number;
    trailingRun: Code | null;
    /** Pattern that finds open matches. Absent or null: all text within the window waits for more. */
    partial?: { pattern: Code; pad: number } | null;
  } | null;
}

/** Part of a text, and the function `convert` that makes text of its value, or of `value` instead. */
export interface JoinedPart {
  part: TextPart;
  convert?: Code;
  value?: Code;
}

/**
 * Path of a setting in the plugin's settings. Several paths are alternative forms of one setting, the
 * likeliest first. An object: the member has no setting, but its members have.
 */
export type Source = Path | readonly Path[] | Sources;
/** Settings of members with other names. Default: `flushLimit` comes from `flushLimit` or `flush_limit`. */
export interface Sources {
  readonly [member: string]: Source;
}

/** Printers for views; each result is code that is safe to print. */
export interface PluginPrinter {
  /**
   * Lets source maps lead from the code to a part of the configuration.
   * @param part path of a setting of the plugin, or a config path (`PlanContext.origin`). One that is not
   * configured leads to the nearest part around it
   */
  from(part: Path | ConfigPath, code: Code): Code;
  /** Prints a literal. */
  literal(value: string | number | boolean): Code;
  /**
   * Prints a byte string, as by `byteString`. A value that is not ASCII, or longer than 60 characters,
   * becomes a constant of that name.
   * @throws TypeError for a character above U+00FF
   */
  bytes(value: string, name: string): Code;
  /**
   * Prints a request target. Values of variables and captures are percent-encoded for the path or the query;
   * with `raw` only bytes that would break the request line are.
   */
  target(template: TargetTemplate, raw: boolean): Code;
  /** Prints a text whose parts go through their functions; a part without one is printed unchanged. */
  joined(parts: readonly JoinedPart[]): Code;
  /**
   * Prints header actions on `owner` ("x.upstream"); `add` is the method that adds a value.
   * @param isFirst the step changes no header and no body before them, so that they share reads with its
   * conditions. Default: false
   */
  headers(
    actions: readonly HeaderAction[],
    owner: Code,
    add: "prepend" | "append",
    isFirst?: boolean,
  ): HeaderView;
  /** Defines a constant `<base>`, `<base>2` … for a regular expression. @param note config path */
  regex(base: string, regex: Regex, note: string): Code;
  /** Defines `const <name> = <value>;`; a name that is taken gets a number. @param note comment above it */
  constant(name: string, value: Code, note?: string): Code;
  /** Prints a body filter: `filter([{ pattern, replacement: … }, …], options)`. Patterns are constants. */
  bodyFilter(
    rules: readonly BodyFilterRule[],
    options: Readonly<Record<string, string | number>>,
    sources?: Sources,
  ): Code;
  /**
   * Imports a name of `gwc/runtime` or of the plugin's `exports`.
   * @throws Error if this module imports the same name from another module
   */
  imported(name: string): Code;
  /** Prints the constant that holds the plugin's shared resource; `undefined` without one. */
  resource(): Code;
  /** Prints plain data as a literal; source maps lead from its members to their settings. */
  data(value: Json, sources?: Sources): Code;
  /** Prints plain data, without values equal to `defaults`, which the runtime adds (`runtime/abi/defaults.ts`). */
  settings(
    settings: JsonObject,
    defaults: JsonObject,
    sources?: Sources,
  ): (readonly [name: string, value: Code])[];
  /**
   * Prints a value of a shared resource; as a constant of that name if another shared resource of the
   * pipeline has the same value and it is at least 40 characters long.
   * @param declare function that gives the constant its type, `<declare>(<value>)`. Default: none
   */
  shared(name: string, value: Code, declare?: Code): Code;
  /**
   * Prints an object, on one line if it is short. Source maps lead from a field without `from` to its setting
   * by `sources`.
   */
  object(fields: readonly (readonly [name: string, value: Code])[], sources?: Sources): Code;
  /**
   * Prints `(x) => <maker>({ … })`; without `maker` the object itself. @param path setting that contains the
   * fields
   */
  record(fields: readonly RecordField[], maker: Code | null, path?: Path): Code;
  /** Prints `(x) => …`, which returns a text; undefined if the text is one absent variable. */
  textOf(text: Text): Code;
  /** Prints a call on one line, or with one argument per line if that is too long. */
  call(callee: Code, args: readonly Code[]): Code;
  /** Joins the plugin's own program text with code: only code goes into the holes. */
  code(strings: TemplateStringsArray, ...holes: readonly Code[]): Code;
}
