import type { ModuleCode } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { PluginBundle } from "../../runtime/abi/plugin-bundle.js";
import type { StatementLocation, StatementQuery } from "../../runtime/abi/source-map.js";
import type { Trace } from "../../runtime/abi/trace.js";
import { maskedPaths } from "../2-validate/masked.js";
import { kindSchema, pluginSchema, schemaComponents } from "../2-validate/published.js";
import { schemaErrorText } from "../2-validate/reported-fault.js";
import { distinctCredentials } from "../4-plan/credentials.js";
import { unloadable } from "../6-check/loadable.js";
import { foreignNames } from "../6-check/names.js";
import { type BuildPolicyReport, type BuiltContent, checkBuildPolicy } from "../7-build/build-policy.js";
import type { Compilation, CompileResult, Pending } from "../compilation/compilation.js";
import { diagnostic } from "../diagnostics/report.js";
import { type DraftedModules, draftModules, draftOf } from "../diff/draft.js";
import type { Drafted } from "../diff/drafted.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Change, CompileInput } from "../model/input.js";
import type { LoadedPackage, NamedPackage } from "../model/package.js";
import type { Kind, Resource, ResourceName } from "../model/resource.js";
import type { Path, SourceText } from "../model/source.js";
import { bundlesOf } from "../packages/bundles.js";
import { contentHash } from "../packages/content-hash.js";
import { loadPackages } from "../packages/load.js";
import { keyOf, namedPackages } from "../packages/named.js";
import { loadedPackages } from "../packages/outcomes.js";
import { costOf, type PluginSummary, pluginReadme } from "../plugin/documentation.js";
import { plugins } from "../plugin/registry.js";
import { permitted } from "../policy/policy.js";
import { type CachedAnswer, importAnswers, OutOfTimeError, within } from "../regex/analysis-cache.js";
import { type ReadRegex, readRegex } from "../regex-tester/test-input.js";
import { reportRedactor } from "../report/redact-report.js";
import { renderText } from "../report/text.js";
import { type RedactedTexts, redactedTexts } from "../secrets/redacted-texts.js";
import { masksOf } from "../secrets/secret-spans.js";
import { type ExaminedCandidates, examinedCandidates } from "../which-route/examined-candidates.js";
import { type ModuleView, moduleView, statementPlace } from "../which-route/module-view.js";
import { type ReadRequest, readRequest } from "../which-route/request.js";
import { type ReadTrace, readTrace, redactedTrace } from "../which-route/trace.js";
import {
  type RequestResult,
  type WhichRouteReport,
  whichRouteReport,
} from "../which-route/which-route-report.js";
import { type DiagnosticSummary, summaryOf } from "./diagnostic-summary.js";
import { type FileResourceDelta, fileResourceDelta, filesByName } from "./file-resource-delta.js";
import { type FoundCredentials, foundCredentials } from "./found-credentials.js";
import type { PatternAnalysisJob } from "./pattern-analysis.js";
import { type ValidatedDocument, validateDocument } from "./validate-document.js";

export { testRegex } from "../regex-tester/test-regex.js";
export { liveCompilation } from "./live-compilation.js";
export { validateDocument } from "./validate-document.js";

interface FilesResult {
  diagnostics: Diagnostic[];
  report: string;
  deployment: CompileResult["deployment"];
  statics: FileResourceDelta;
}

export interface PackageLoadResult {
  packages: LoadedPackage[];
  bundles: PluginBundle[];
}

export type LoadedFiles = FilesResult & Pick<CompileResult, "artifact" | "secrets">;
export type CompiledChange = Pick<
  Pending,
  "diagnostics" | "errorMessage" | "delta" | "secrets" | "absent"
> & {
  /** Set if the patterns take long: nothing is compiled yet, and `analyse` must run with this first. */
  heavy?: PatternAnalysisJob;
};
export type ReloadedFiles = FilesResult &
  CompiledChange & {
    /** Artifact to run together with the build, if one is given. */
    artifact?: CompileResult["artifact"];
  };

/** Time limit in ms for patterns of a draft. The dry run before it has usually analyzed them already. */
const DRAFT_MS = 100;

export type ReadFiles = Pick<CompileInput, "environment" | "policy" | "built"> & {
  sources: SourceText[];
  faults: Diagnostic[];
};

/**
 * Calls that the compiler thread serves: arguments and results are plain data. No returned module names
 * anything outside of the runtime's surface, whatever generated it.
 */
export class CompilerRpc {
  readonly #compilation: Compilation;
  /** Files of the last compile, for the variables that they name. */
  #files: ReadFiles = { sources: [], faults: [], environment: {} };
  #deployment: CompileResult["deployment"] = null;
  #pending: Pending | undefined;
  /** Packages of the first files. They stay loaded until the process ends. */
  #named: readonly NamedPackage[] | undefined;
  /** Resources of the files by name, as last sent to control. */
  #sent: ReadonlyMap<string, Resource> = new Map();

  constructor(compilation: Compilation) {
    this.#compilation = compilation;
  }

  /** Must be called first; repeated calls load nothing more. */
  async begin({ sources, environment, policy }: ReadFiles): Promise<PackageLoadResult> {
    this.#named ??= permitted(namedPackages(sources, environment), policy);
    await loadPackages(this.#named);
    const bundles = await bundlesOf(this.#named);
    return { packages: loadedPackages(this.#named), bundles };
  }

  load(files: ReadFiles, stored: NonNullable<CompileInput["stored"]>): LoadedFiles {
    this.#pending = undefined;
    this.#files = files;
    const loaded = this.#compilation.load({ ...files, stored });
    const foreign = [...this.#outdated(files), ...refused(loaded.artifact?.modules ?? [])];
    const { artifact, secrets } = loaded;
    this.#deployment = loaded.deployment;
    this.#sent = filesByName(loaded.resources);
    const statics = fileResourceDelta(this.#sent, new Map(), files);
    if (foreign.length === 0) return { ...ofFiles(files, loaded), statics, artifact, secrets };
    const diagnostics = [...loaded.diagnostics, ...foreign];
    return { ...ofFiles(files, { ...loaded, diagnostics }), statics, artifact: undefined, secrets };
  }

  /** @param analysisMs time limit for new patterns; beyond it the reply has `heavy` */
  write(changes: readonly Change[], analysisMs = Number.POSITIVE_INFINITY): CompiledChange {
    try {
      return this.#offer(within(analysisMs, () => this.#compilation.write(changes)));
    } catch (error) {
      if (!(error instanceof OutOfTimeError)) throw error;
      const heavy = { changes, settings: this.#compilation.settings };
      return { ...NOTHING_YET, heavy };
    }
  }

  /**
   * Returns both sides of changes that are rolled back. Null if another change is pending, or if it takes too
   * long.
   */
  draft(changes: readonly Change[]): Drafted | null {
    const context = { hidden: () => this.#hidden(), deployment: this.#deployment };
    return inTime(() => draftOf(this.#compilation, changes, context));
  }

  /** @param of resource, such as "routes/orders". Default: the first */
  draftModules(changes: readonly Change[], of?: string): DraftedModules | null {
    return inTime(() => draftModules(this.#compilation, changes, of, () => this.#hidden()));
  }

  remember(notes: readonly CachedAnswer[]): void {
    importAnswers(notes);
  }

  reload(files: ReadFiles, without: readonly ResourceName[] = []): ReloadedFiles {
    const reload = this.#compilation.reload(files, without);
    const resources = filesByName(reload.resources);
    const commit = () => {
      reload.commit();
      this.#files = files;
      this.#deployment = reload.deployment;
      this.#sent = resources;
    };
    const offered = this.#offer({ ...reload, commit }, this.#outdated(files));
    const artifact = files.built && offered.delta && reload.artifact;
    return {
      statics: fileResourceDelta(resources, this.#sent, files),
      ...ofFiles(files, { ...reload, diagnostics: offered.diagnostics }),
      ...offered,
      ...(artifact && { artifact }),
    };
  }

  judgeBuild(built: BuiltContent, policy: string, directory: string): BuildPolicyReport {
    return checkBuildPolicy(built, policy, directory);
  }

  commit(): void {
    this.#pending?.commit();
    this.#pending = undefined;
  }

  discard(): void {
    this.#pending?.rollback();
    this.#pending = undefined;
  }

  statementLocations(statements: readonly StatementQuery[]): StatementLocation[] {
    return statements.map((one) => statementPlace(one, this.#compilation.running));
  }

  diagnosticSummary(): DiagnosticSummary {
    const { secrets, open } = this.#hidden();
    return reportRedactor(secrets, open)(summaryOf(this.#compilation.findings()));
  }

  readRegex(text: string): ReadRegex {
    return readRegex(text);
  }

  /** Request of `POST /gw/admin/which_route`, with the credential sources of all modules. */
  readRequest(text: string): ReadRequest & { credentials: Credentials[] } {
    return { ...readRequest(text), credentials: this.#credentials() };
  }

  #credentials(): Credentials[] {
    const { rules, routes } = this.#compilation.running.state;
    const pipelines = [...rules.values(), ...Array.from(routes.values(), ({ pipeline }) => pipeline)];
    return distinctCredentials(pipelines);
  }

  examinedCandidates(candidates: RequestResult["candidates"]): ExaminedCandidates {
    return examinedCandidates(candidates, this.#compilation.running);
  }

  /** Reply to `POST /gw/admin/which_route`, from the results of its dry run. */
  whichRouteReport(tried: RequestResult): WhichRouteReport {
    return whichRouteReport(tried, this.#compilation.running, this.#hidden());
  }

  readTrace(text: string): ReadTrace {
    return readTrace(text, { credentials: this.#credentials(), hidden: () => this.#hidden() });
  }

  /** Adds source locations and redacts secrets of the configuration. */
  redactTrace(trace: Trace): Trace {
    return redactedTrace(trace, this.#compilation.running, this.#hidden());
  }

  /** Null if there is no such resource or it has no module. */
  moduleView(kind: Kind, id: string): ModuleView | null {
    return moduleView(kind, id, this.#compilation.running, this.#hidden());
  }

  #hidden(): RedactedTexts {
    const { inventory, state } = this.#compilation.running;
    return redactedTexts(inventory, this.#files, state.secrets().values());
  }

  /** @param kind "route" @returns null if there is none */
  schema(kind: string): object | null {
    return kindSchema(kind) ?? null;
  }

  pluginSchema(name: string, type?: "consumer" | "metadata"): object | null {
    return pluginSchema(name, type) ?? null;
  }

  schemaComponents(): Record<string, object> {
    return schemaComponents();
  }

  /** Markdown; null if the plugin has no readme, undefined if there is no such plugin. */
  pluginReadme(name: string): string | null | undefined {
    return pluginReadme(name);
  }

  /** Plugins by priority, highest first. */
  plugins(): PluginSummary[] {
    return plugins()
      .map((plugin) => ({ name: plugin.name, priority: plugin.priority, cost: costOf(plugin) }))
      .sort((a, b) => b.priority - a.priority);
  }

  /** Paths of plain-text secrets, without references such as `${{VAR}}`. */
  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Path[][] {
    return resources.map(({ kind, value }) => maskedPaths(kind, value));
  }

  credentialPlaces(resources: readonly Pick<Resource, "kind" | "value">[]): FoundCredentials {
    return foundCredentials(this.#compilation.running.inventory, resources);
  }

  /** First fault by the schema of the kind, without settings of plugins; null if the value is valid. */
  validate(kind: Kind, value: unknown): string | null {
    return schemaErrorText(kind, value) ?? null;
  }

  /** @returns null if patterns that are not analyzed yet take longer than `analysisMs` */
  validateDocument(text: string, format: "json" | "yaml", analysisMs: number): ValidatedDocument | null {
    return inTime(() => validateDocument(text, format), analysisMs);
  }

  /**
   * Reports packages that are no longer named or whose code has changed: the code loaded at the start stays.
   * The compile itself reports new packages.
   */
  #outdated({ sources, environment }: ReadFiles): Diagnostic[] {
    const named = new Set(namedPackages(sources, environment).map(keyOf));
    const gone = (this.#named ?? []).filter((one) => !named.has(keyOf(one)));
    const changed = loadedPackages(this.#named ?? []).filter(
      (one) => named.has(keyOf(one)) && hasChanged(one),
    );
    const said = [
      ...gone.map(({ name }) => `"${name}" was named when the gateway started`),
      ...changed.map(({ name }) => `"${name}" has changed since the gateway started`),
    ];
    return said.map((what) => diagnostic("GW7011", undefined, { what }));
  }

  #offer(pending: Pending, others: readonly Diagnostic[] = []): CompiledChange {
    const { diagnostics, errorMessage, delta, secrets, absent } = pending;
    const foreign = [...others, ...refused(delta?.modules.put ?? [])];
    const [first] = foreign;
    if (first !== undefined) {
      pending.rollback();
      this.#pending = undefined;
      const found = [...diagnostics, ...foreign];
      return { diagnostics: found, errorMessage: first.message, delta: undefined, secrets, absent: [] };
    }
    this.#pending = delta && pending;
    return { diagnostics, errorMessage, delta, secrets, absent };
  }
}

/** @returns null if patterns that are not analyzed yet take too long */
function inTime<T>(work: () => T | undefined, milliseconds = DRAFT_MS): T | null {
  try {
    return within(milliseconds, work) ?? null;
  } catch (error) {
    if (!(error instanceof OutOfTimeError)) throw error;
    return null;
  }
}

function hasChanged({ root, name, hash }: LoadedPackage): boolean {
  try {
    return contentHash(root, name) !== hash;
  } catch {
    return true;
  }
}

/** `vm.compileFunction` is no sandbox, so modules are checked before a worker receives them: 0.2 ms for 35 lines. */
function refused(modules: readonly ModuleCode[]): Diagnostic[] {
  return [...unloadable(modules), ...foreignNames(modules)];
}

const NOTHING_YET: CompiledChange = {
  diagnostics: [],
  errorMessage: "",
  delta: undefined,
  secrets: new Map(),
  absent: [],
};

function ofFiles(
  { sources, environment }: ReadFiles,
  loaded: Pick<CompileResult, "diagnostics" | "deployment" | "credentialNames">,
): Omit<FilesResult, "statics"> {
  const { diagnostics, deployment, credentialNames } = loaded;
  const masks = masksOf(sources, diagnostics, environment, credentialNames);
  const report = renderText(diagnostics, { sources, masks });
  return { diagnostics, report, deployment };
}
