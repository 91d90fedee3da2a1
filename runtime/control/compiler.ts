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
import type { Tried, WhichRouteReport } from "../../compiler/which-route/which-route-report.js";
import type { BuiltResource } from "../abi/build-files.js";
import type { Artifact, Delta } from "../abi/generation.js";
import type { Credentials } from "../abi/log.js";
import type { PluginBundle } from "../abi/plugin-bundle.js";
import type { StatementPlace, StatementQuery } from "../abi/source-map.js";
import type { Trace } from "../abi/trace.js";
import type { StaticResourceDelta } from "./resource-catalog.js";
import type { SecretPath } from "./store/store.js";

/** A write as compiled; nothing of it counts before `settle(true)`. */
export interface CompiledWrite {
  diagnostics: Diagnostic[];
  /** `error_msg` of the admin API; "" without errors. */
  errorMessage: string;
  /** Undefined when there are errors. */
  delta: Delta | undefined;
  /** Values of the literal secrets after the write, by the reference that modules hold. */
  secrets: ReadonlyMap<string, string>;
  /** Resources deleted by force while others name them. */
  absent: { kind: Kind; id: string }[];
  /** Given to `analyse` before the write is tried again; nothing has been decided. */
  heavy?: PatternAnalysisJob;
}

/** Result of compiling files and store from nothing. A compiler in the process of the workers tells no `inputs`. */
export interface CompiledWhole extends Partial<CompiledTexts> {
  diagnostics: Diagnostic[];
  artifact: Artifact | undefined;
  /** Values of the literal secrets, by the reference that modules hold. */
  secrets: ReadonlyMap<string, string>;
  /** Findings as `gwc check` prints them, for the terminal and the log. */
  report: string;
  /** Validated deployment keys of the files. */
  deployment: unknown;
  statics: StaticResourceDelta;
  /** What plugins of packages do at run time. */
  bundles: PluginBundle[];
}

export interface CompiledReload extends CompiledWrite, Partial<CompiledTexts> {
  report: string;
  deployment: unknown;
  statics: StaticResourceDelta;
  /** Where a build is given: what runs beside it, and in place of parts of it. */
  artifact?: Artifact | undefined;
}

/** One resource of the store as the compiler takes it. */
export interface CompilerResource {
  kind: Kind;
  id: string;
  value: unknown;
}

/** The compiler as control uses it, in its own thread. One write at a time: `write` or `reload`, then `settle`. */
export interface ControlCompiler {
  /** @param built resources of the build that runs, in place of files */
  load(
    paths: readonly string[],
    stored: readonly CompilerResource[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledWhole>;
  /** Names all that `load` would compile besides the store if it read the files now, without compiling; undefined where it cannot be read. */
  inputs(paths: readonly string[], stored: readonly CompilerResource[]): string | undefined;
  /** sha256 of the policy as its file holds it now; undefined without a policy, or where it cannot be read. */
  policy(): string | undefined;
  /** @param analysisMs milliseconds for patterns that are not known yet; beyond them the answer is `heavy` */
  write(changes: readonly Change[], analysisMs?: number): Promise<CompiledWrite>;
  /**
   * Works out, beside writes, what takes long of one of them.
   * @returns the finding when that takes too long
   */
  analyse(work: PatternAnalysisJob): Promise<Diagnostic | undefined>;
  /** What changes touch, before and after, while no other change is under way; null where that cannot be told. */
  draft(changes: readonly Change[]): Promise<Drafted | null>;
  /** What becomes of modules, likewise. @param of whose module is told; default: the first */
  draftModules(changes: readonly Change[], of?: string): Promise<DraftedModules | null>;
  /** Compares the two beside writes, route by route. @returns why not, where that fails */
  compare(drafted: Drafted): Promise<EffectReply>;
  /** @param without resources of the store that the files, or the build, take over */
  reload(
    paths: readonly string[],
    without?: readonly { kind: Kind; id: string }[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledReload>;
  /** @param policy its file */
  judgeBuild(built: BuiltContent, policy: string, directory: string): Promise<BuildPolicyReport>;
  /** Makes the last write the base of the next one, or forgets it. */
  settle(accepted: boolean): Promise<void>;
  /** Settings that statements of modules are made from, and their places. */
  places(asked: readonly StatementQuery[]): Promise<StatementPlace[]>;
  /** Findings of the running configuration: how many, and the first of them. */
  findings(): Promise<DiagnosticSummary>;
  /** What `POST /gw/admin/which_route` asks for, and what all modules that run take credentials from. */
  readRequest(text: string): Promise<ReadRequest & { credentials: Credentials[] }>;
  /**
   * What `POST /gw/admin/regex` asks for, in a thread of its own.
   * @returns what is wrong with how it was asked, or why there is no answer, where there is none
   */
  tryRegex(text: string): Promise<RegexTestResult | UntestedRegex | Exclude<ReadRegex, { asked: unknown }>>;
  /** What a resource that runs became; null where there is no such resource, or it has no module. */
  moduleView(kind: Kind, id: string): Promise<ModuleView | null>;
  /** Candidates that are examined one by one. */
  beside(candidates: Tried["candidates"]): Promise<ExaminedCandidates>;
  /** The answer to it out of what was tried, secrets hidden. */
  told(tried: Tried): Promise<WhichRouteReport>;
  /** What `POST /gw/admin/trace` asks for. */
  readTrace(text: string): Promise<ReadTrace>;
  /** A trace with the places of what acted, secrets of the configuration hidden. */
  toldTrace(trace: Trace): Promise<Trace>;
  /** Schema of a kind ("route") or null. */
  schema(kind: string): Promise<object | null>;
  pluginSchema(name: string, type?: "consumer" | "metadata"): Promise<object | null>;
  /** Its README as Markdown; null where it has none, undefined where there is no such plugin. */
  pluginReadme(name: string): Promise<string | null | undefined>;
  /** Schemas of resources, plugins and their parts, by name, as components of an OpenAPI 3.1 document. */
  schemaComponents(): Promise<Record<string, object>>;
  /** Highest priority first. */
  plugins(): Promise<PluginSummary[]>;
  /** Where each value holds a secret that is written out, not named by `${{VAR}}`. */
  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Promise<SecretPath[][]>;
  /** Credentials that their names tell and no schema, by the names that run and those of the resources. */
  credentialPlaces(resources: readonly { kind: Kind; value: unknown }[]): Promise<FoundCredentials>;
  /** Text of the first fault against the kind's schema, without plugin configurations; null when there is none. */
  validate(kind: Kind, value: unknown): Promise<string | null>;
  /** Every error of a document's resources, each checked by itself. */
  validateDocument(text: string, format: "json" | "yaml"): Promise<ValidatedDocument>;
  close(): Promise<void>;
}
