import type { DiagnosticSummary } from "../../compiler/compiler-rpc.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { DraftedModules } from "../../compiler/diff/draft-modules.js";
import type { Drafted } from "../../compiler/diff/drafted.js";
import type { EffectReply } from "../../compiler/diff/effect-thread.js";
import type { FoundCredentials } from "../../compiler/found-credentials.js";
import type { Change } from "../../compiler/input.js";
import type { CompiledTexts } from "../../compiler/inputs-hash.js";
import type { PatternAnalysisJob } from "../../compiler/pattern-analysis.js";
import type { PluginSummary } from "../../compiler/plugin/cost.js";
import type { BuildPolicyReport, BuiltContent } from "../../compiler/policy/build-policy.js";
import type { UntestedRegex } from "../../compiler/regex-tester/regex-tester.js";
import type { ReadRegex } from "../../compiler/regex-tester/test-input.js";
import type { RegexTestResult } from "../../compiler/regex-tester/test-regex.js";
import type { Kind } from "../../compiler/resolve/resource.js";
import type { ValidatedDocument } from "../../compiler/validate-document.js";
import type { ExaminedCandidates } from "../../compiler/which-route/examined-candidates.js";
import type { ModuleView } from "../../compiler/which-route/module-view.js";
import type { ReadRequest } from "../../compiler/which-route/request.js";
import type { ReadTrace } from "../../compiler/which-route/trace.js";
import type { RequestResult, WhichRouteReport } from "../../compiler/which-route/which-route-report.js";
import type { BuiltResource } from "../abi/build-files.js";
import type { Artifact, Delta } from "../abi/generation.js";
import type { Credentials } from "../abi/log.js";
import type { PluginBundle } from "../abi/plugin-bundle.js";
import type { StatementLocation, StatementQuery } from "../abi/source-map.js";
import type { Trace } from "../abi/trace.js";
import type { StaticResourceDelta } from "./resource-catalog.js";
import type { SecretPath } from "./store/store.js";

/** Compiled write; it takes effect only with `settle(true)`. */
export interface CompiledWrite {
  diagnostics: Diagnostic[];
  /** `error_msg` of the admin API; "" if there are no errors. */
  errorMessage: string;
  /** Undefined if there are errors. */
  delta: Delta | undefined;
  /** Values of the literal secrets after the write, by their references in modules. */
  secrets: ReadonlyMap<string, string>;
  /** Resources deleted by force while others refer to them. */
  absent: { kind: Kind; id: string }[];
  /** Patterns to pass to `analyse` before the write is compiled again; nothing is decided yet. */
  heavy?: PatternAnalysisJob;
}

/** Result of a full compile of files and store. A compiler in the process of workers has no `inputs`. */
export interface CompiledWhole extends Partial<CompiledTexts> {
  diagnostics: Diagnostic[];
  artifact: Artifact | undefined;
  /** Values of the literal secrets, by their references in modules. */
  secrets: ReadonlyMap<string, string>;
  /** Diagnostics as `gwc check` prints them, for the terminal and the log. */
  report: string;
  /** Validated deployment keys of the files. */
  deployment: unknown;
  statics: StaticResourceDelta;
  /** Runtime code of plugins from packages. */
  bundles: PluginBundle[];
}

export interface CompiledReload extends CompiledWrite, Partial<CompiledTexts> {
  report: string;
  deployment: unknown;
  statics: StaticResourceDelta;
  /** Overlay of a build, if one is given, including parts of the build that it replaces. */
  artifact?: Artifact | undefined;
}

/** Resource of the store as the compiler receives it. */
export interface CompilerResource {
  kind: Kind;
  id: string;
  value: unknown;
}

/** Compiler as control uses it, in its own thread: one `write` or `reload` at a time, then `settle`. */
export interface ControlCompiler {
  /** @param built resources of the running build, in place of files */
  load(
    paths: readonly string[],
    stored: readonly CompilerResource[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledWhole>;
  /** Returns a digest of what `load` would read besides the store; undefined if it is unreadable. */
  inputs(paths: readonly string[], stored: readonly CompilerResource[]): string | undefined;
  /** Returns the SHA-256 of the policy file as it is now; undefined if there is none or it is unreadable. */
  policy(): string | undefined;
  /** @param analysisMs time limit in ms for patterns not in the cache; beyond it the result is `heavy` */
  write(changes: readonly Change[], analysisMs?: number): Promise<CompiledWrite>;
  /**
   * Runs the expensive analysis of a write concurrently with other writes.
   * @returns the diagnostic if the analysis takes too long
   */
  analyse(work: PatternAnalysisJob): Promise<Diagnostic | undefined>;
  /** Compiles changes as a draft, with both of its sides; null if another change is pending or unknown. */
  draft(changes: readonly Change[]): Promise<Drafted | null>;
  /**
   * Returns the change of generated modules, likewise.
   * @param of resource of the module; default: the first
   */
  draftModules(changes: readonly Change[], of?: string): Promise<DraftedModules | null>;
  /** Compares both sides route by route, concurrently with writes. @returns the reason if it fails */
  compare(drafted: Drafted): Promise<EffectReply>;
  /** @param without resources of the store that the files or the build take over */
  reload(
    paths: readonly string[],
    without?: readonly { kind: Kind; id: string }[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledReload>;
  /** @param policy path of its file */
  judgeBuild(built: BuiltContent, policy: string, directory: string): Promise<BuildPolicyReport>;
  /** Makes the last write the base of the next one, or discards it. */
  settle(accepted: boolean): Promise<void>;
  /** Returns the settings that statements of modules are compiled from, with their locations. */
  places(asked: readonly StatementQuery[]): Promise<StatementLocation[]>;
  /** Summary of the diagnostics of the running configuration: their number and the first of them. */
  findings(): Promise<DiagnosticSummary>;
  /** Parses the request of `POST /gw/admin/which_route`, and adds the credentials of all running modules. */
  readRequest(text: string): Promise<ReadRequest & { credentials: Credentials[] }>;
  /**
   * Serves `POST /gw/admin/regex` in a thread of its own.
   * @returns the fault of the request, or the reason if there is no result
   */
  tryRegex(text: string): Promise<RegexTestResult | UntestedRegex | Exclude<ReadRegex, { asked: unknown }>>;
  /** Returns the module of a running resource; null if there is no such resource or it has no module. */
  moduleView(kind: Kind, id: string): Promise<ModuleView | null>;
  /** Finds the conditions that exclude candidates, and the disabled routes. */
  beside(candidates: RequestResult["candidates"]): Promise<ExaminedCandidates>;
  /** Returns the report about a simulated request, secrets redacted. */
  told(tried: RequestResult): Promise<WhichRouteReport>;
  readTrace(text: string): Promise<ReadTrace>;
  /** Adds source locations to a trace and redacts secrets of the configuration. */
  toldTrace(trace: Trace): Promise<Trace>;
  /** Returns the schema of a kind ("route") or null. */
  schema(kind: string): Promise<object | null>;
  pluginSchema(name: string, type?: "consumer" | "metadata"): Promise<object | null>;
  /** Returns the README of a plugin as Markdown; null if it has none, undefined if the plugin is unknown. */
  pluginReadme(name: string): Promise<string | null | undefined>;
  /** Schemas of resources, plugins and their parts, by name, as components of an OpenAPI 3.1 document. */
  schemaComponents(): Promise<Record<string, object>>;
  /** Sorted by priority, highest first. */
  plugins(): Promise<PluginSummary[]>;
  /** Returns the paths of plain-text secrets in each value, without references such as `${{VAR}}`. */
  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Promise<SecretPath[][]>;
  /** Returns credentials found by their names, not by a schema: names in use and those of the resources. */
  credentialPlaces(resources: readonly { kind: Kind; value: unknown }[]): Promise<FoundCredentials>;
  /** Returns the first fault by the kind's schema, without plugin configurations; null if it is valid. */
  validate(kind: Kind, value: unknown): Promise<string | null>;
  /** Returns every error of a document's resources, each checked by itself. */
  validateDocument(text: string, format: "json" | "yaml"): Promise<ValidatedDocument>;
  close(): Promise<void>;
}
