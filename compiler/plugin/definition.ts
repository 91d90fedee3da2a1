import type { Catalogue, Diagnostic, Span } from "../diagnostics/diagnostic.js";
import type { Json, JsonObject, RecordField } from "../log/plan.js";
import type { Path, Spanned } from "../parse/source.js";
import type { RouteGuarantees } from "../plan/constant-conditions.js";
import type {
  Condition,
  ConfigPath,
  HeaderAction,
  Regex,
  Step,
  StepPhase,
  Text,
  TextPart,
} from "../plan/plan.js";
import type { ListenerInput } from "../plan/plan-settings.js";
import type { PatternScope } from "../plan/subject.js";
import type { TargetTemplate } from "../plan/target.js";
import type { ReplacementPart } from "../regex/regex.js";
import type { ConsumerKey, ResolvedConsumer, ResolvedPlugin } from "../resolve/resolved.js";
import type { TextFormats } from "./formats.js";
import type { PluginKind } from "./kinds.js";
import type { PluginSection, ResourceTable } from "./resource-table.js";
import type { TimeLimit } from "./time-limit.js";
import type { PluginVariable } from "./variables.js";

/** What a plugin needs from the plan step while it turns its settings into steps. */
export interface PlanContext {
  /** Where findings go; a plugin that reports an error may return any steps, they are not used. */
  report(diagnostic: Diagnostic): void;
  /** Address of a part of the settings, for step and action origins. */
  origin(path: Path): ConfigPath;
  /** Place of the plugin's key. */
  readonly span: Span;
  /** Every consumer, for a plugin that authenticates. */
  consumers: readonly ResolvedConsumer[];
  /** What its patterns are judged with. */
  patterns: PatternScope;
  /** What every request has for which the plugin runs; absent in a global rule. For `planCondition`. */
  known?: RouteGuarantees | undefined;
  /** `_meta.error_response` as a text, which each step has too. Whoever reads neither is taken for one that sends none (GW4050). */
  readonly errorResponse?: string | undefined;
  /** Port of the first listener of `gw.ssl.listen`; undefined without one. */
  securePort?: number | undefined;
  /** Its section of `plugin_attr`. */
  attributes: Readonly<Record<string, unknown>>;
  /** Where the service of its section listens, as written; undefined: the configuration has no such section. */
  serviceListener: ListenerInput | undefined;
  /** Declares what the plugin keeps open in this pipeline, at most one thing: plain data for `PluginDefinition.resource`. */
  resource(data: unknown): void;
  /** Declares a status that the setting at `path` gives responses: a 401 without `WWW-Authenticate` is a finding (GW4207). */
  setsStatus(status: number, path: Path): void;
  /** How the plan names the secret at `path` of the settings: never by its value. */
  secret(value: string, path: Path): SecretReference;
}

/** A secret as plans, modules and keys of resources have it. */
export interface SecretReference {
  /** What `ResourceContext.secret` resolves: the text with its `${{VAR}}`, or the name of a literal that is kept apart. */
  reference: string;
  /** Changes when the value is known to change; tells nothing about it. */
  version: string;
}

/** A step with the data that its plugin planned. */
export interface TypedStep<Data> extends Step {
  data: Data;
}

/** Settings of a plugin in one place: they fit its schema. */
export interface PluginSettings<Settings extends object> extends Spanned<Settings> {
  /** With the schema's defaults in every place that is absent. */
  value: Settings;
  /** As written: what is absent here has its default, or none. */
  written: Partial<Settings>;
}

/** A step as a plugin plans it; name and filter are added. */
export interface PlannedStep<Data = unknown> extends Omit<TypedStep<Data>, "filter" | "plugin"> {
  /** The step only prepares one of a later phase: it runs unfiltered when `_meta.filter` asks what is not known yet. */
  runUnfiltered?: boolean;
  /** The same, but it is left out then: it may only run where the later step is sure to. */
  skipIfFilterUnknown?: boolean;
}

/** A condition of the plugin's own around a whole step, and the field that states it. */
export interface Guard {
  condition: Condition;
  field: string;
  origin: ConfigPath;
}

/** What was decided for a part of the settings, and why. */
export interface Decision {
  /** `filters[0]` */
  field: string;
  origin: ConfigPath;
  /** `streams: a match takes at most 6 bytes` */
  text: string;
}

/**
 * Meaning of one plugin: the only hand-written compile-time code that knows its name. `Settings` come from its schema
 * (`schema/types.gen.ts`), `Data` is what a step of it holds, `Kept` what it declares with `PlanContext.resource`.
 */
export interface PluginDefinition<Settings extends object = object, Data = unknown, Kept = unknown> {
  /** As configurations name it: lower-case words joined by hyphens. */
  name: string;
  /** Steps of a phase run by `_meta.priority ?? priority`, descending, ties by nominal priority, then by name. */
  priority: number;
  /** `import.meta.url` of the definition. Beside it stand `schema.json` and a template `<phase>.hbs` for each phase. */
  moduleUrl: string;
  /** Phases in which it can have a step. */
  phases: readonly StepPhase[];
  /** What its modules may take from `gwc/plugins/<name>`, each with the members that generated code may use of what it gives. */
  exports?: Readonly<Record<string, readonly string[]>>;
  /** Absolute path of the declaration of its calls, for the type check; absent: that of `runtime/index` beside `at`. */
  types?: string;
  /** The package that it came in, and how long its code may take for one use of the plugin; absent for those of gwc. */
  package?: { name: string; limit: TimeLimit };
  /** Kinds of resources that it has by itself, and sections; `configuration.json` beside `at` adds them to configuration files. */
  kinds?: readonly PluginKind[];
  sections?: readonly PluginSection[];
  /** What its resources become for its service. */
  table?: ResourceTable;
  /** Checks of texts that its schemas name by `format`. */
  formats?: TextFormats;
  /** Its own findings by code; those of a package are "<NAME>-001" and so on. */
  diagnostics?: Catalogue;
  /** Variables that its runtime part reads, wherever a configuration takes variables. */
  variables?: readonly PluginVariable[];
  /** It can make the answer of a route without an upstream; a route without either is reported. */
  canRespond?: boolean;
  /** It asks who the client is: `PlanContext.consumers` is there for it. */
  authenticates?: boolean;
  /** The key by which it knows a consumer with these settings: two consumers with one are refused. */
  consumerKey?(settings: ResolvedPlugin): ConsumerKey | undefined;
  /** Checks beyond the schema, and the steps, without `filter`, which the plan step adds from `_meta`. */
  plan(settings: PluginSettings<Settings>, context: PlanContext): PlannedStep<Data>[];
  /** Its step in the access phase waits for something: the phase becomes an asynchronous one. */
  asyncAccess?: boolean;
  /** Name of the constant that its resource becomes; default `RESOURCE_NAME`. */
  resourceConstant?: string;
  /** The same in words, where it depends on what is kept: "audit log" becomes `auditLog`. */
  resourceLabel?(data: Kept): string;
  /** What opens the resource: an object with a member `resource`, made once when the module is loaded. */
  resource?(data: Kept, printer: PluginPrinter): Code;
  guard?(step: TypedStep<Data>): Guard | null;
  /** Patterns whose match in `$uri` decides what a step does. */
  pathPatterns?(step: TypedStep<Data>): readonly { regex: Regex; origin: ConfigPath }[];
  /**
   * What a step does, in sentences that begin with a verb: `sets the request header X-A to "b"`. For `gwc explain-route`,
   * which says that it lacks them (GW8001) where a plugin of a package brings none.
   * @param kept what the plugin declared with `PlanContext.resource`
   * @param isProxied the route has an upstream
   */
  describe?(step: TypedStep<Data>, kept: Kept | undefined, isProxied?: boolean): string[];
  /** Decisions about a step that an operator should be able to see, for `gwc check --explain` and `gwc route`. */
  decisions?(step: TypedStep<Data>): Decision[];
  /** What `<phase>.hbs` prints for a step: every field that the template names. */
  view(step: TypedStep<Data>, printer: PluginPrinter): Record<string, unknown>;
}

/** What the constant of a resource is called where the plugin does not say. */
export const RESOURCE_NAME = "resource";

/**
 * Program text that is safe to print. Only the printers of the emit step make it; a plugin's view can do no more than
 * pass it on, and templates print nothing else.
 */
export class Code {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

/** What `templates/headers.hbs` prints. */
export interface HeaderView {
  /** Owner of the list when several calls share `const { headers } = owner;`, else null. */
  owner: Code | null;
  /** Calls on the list, and declarations of values that must be read before the set step. */
  statements: Code[];
}

/** One replacement of a body filter. */
export interface Replace {
  pattern: Code;
  replacement: readonly ReplacementPart[];
  /** The text is decoded as UTF-8 before and encoded after. */
  utf8: boolean;
  /** What lets it work on a body in pieces (`Flow`); null where it needs the whole. */
  slide: {
    window: number;
    behind: number;
    run: Code | null;
    /** Absent or null: all that lies within the window waits for more. */
    partial?: { pattern: Code; pad: number } | null;
  } | null;
}

/** A part of a text, and the call that makes text of it: of its value, or of `of`. */
export interface JoinedPart {
  part: TextPart;
  by?: Code;
  of?: Code;
}

/**
 * The setting that a member of an object is made from, by its path in the settings of the plugin; several of them are forms of one setting of
 * which one is written, the likeliest first. An object: the member has no setting of its own, but its members have.
 */
export type Source = Path | readonly Path[] | Sources;
/** For members that have another name than their setting; a member `flushLimit` is made from `flushLimit` or `flush_limit`. */
export interface Sources {
  readonly [member: string]: Source;
}

/** What views are made with; each result is code that is safe to print. */
export interface PluginPrinter {
  /**
   * Code that source maps lead from to the part of the configuration that it is made from: the path of a setting of the plugin, or an address
   * as `origin` gives them. A line leads there from its beginning. A part that is not written leads to the nearest one around it.
   */
  from(part: Path | ConfigPath, code: Code): Code;
  /** A literal of the program. */
  literal(value: string | number | boolean): Code;
  /**
   * A byte string, one character a byte, as texts of an exchange are: `byteString` makes one of a text. What is long or not ASCII becomes a
   * constant of the module with that name. @throws TypeError for a character above U+00FF, which no byte is
   */
  bytes(value: string, name: string): Code;
  /**
   * A request target as one expression. What variables and captures bring is percent-encoded for its place; with `raw`
   * valid escapes and "?" pass.
   */
  target(template: TargetTemplate, raw: boolean): Code;
  /** A text in which each part goes through its call; a literal goes as it is. */
  joined(parts: readonly JoinedPart[]): Code;
  /** Header actions on `owner` ("x.upstream"); `add` is the call that adds a value. */
  headers(actions: readonly HeaderAction[], owner: Code, add: "prepend" | "append"): HeaderView;
  /** A regular expression as a constant of the module, with a note about where it comes from. */
  regex(base: string, regex: Regex, note: string): Code;
  /** A constant of the module: `const <name> = <value>;`; the name is made unique. */
  constant(name: string, value: Code, note?: string): Code;
  /** `filter([{ pattern, by: … }, …], options)`: a body filter; `pattern` is a constant. */
  bodyFilter(
    rules: readonly Replace[],
    options: Readonly<Record<string, string | number>>,
    sources?: Sources,
  ): Code;
  /** A name of `gwc/runtime`, or one of the plugin's own `calls`; imported once. */
  imported(name: string): Code;
  /** The constant that the plugin's resource became in this module. */
  resource(): Code;
  /** Plain data as a literal, whose members lead to the settings that they are made from. */
  data(value: Json, sources?: Sources): Code;
  /** Fields of settings that are plain data, without what equals the defaults that the runtime fills in (`runtime/abi/defaults.ts`). */
  settings(
    settings: JsonObject,
    defaults: JsonObject,
    sources?: Sources,
  ): (readonly [name: string, value: Code])[];
  /**
   * A value of a resource, as a constant of that name where another resource of the pipeline has the same.
   * @param declare what gives the constant its type; default: nothing has to
   */
  shared(name: string, value: Code, declare?: Code): Code;
  /** An object literal: on one line where that is short, else a field a line. A field that `from` gave no setting leads to that of `sources`. */
  object(fields: readonly (readonly [name: string, value: Code])[], sources?: Sources): Code;
  /** `(x) => <code>({ … })` over the fields of a record; without `maker` the object itself. @param path setting that has these fields */
  record(fields: readonly RecordField[], maker: Code | null, path?: Path): Code;
  /** `(x) => …`: a text, or undefined where it is one variable that is absent. */
  textOf(text: Text): Code;
  /** A call on one line, or with one argument a line where that is too long. */
  call(callee: Code, args: readonly Code[]): Code;
  /** Joins program text of the plugin's own with code: only code goes into the holes. */
  code(strings: TemplateStringsArray, ...holes: readonly Code[]): Code;
}
