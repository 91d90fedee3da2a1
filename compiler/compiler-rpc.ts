import type { ModuleCode } from "../runtime/abi/generation.js";
import type { Credentials } from "../runtime/abi/log.js";
import type { PluginBundle } from "../runtime/abi/plugin-bundle.js";
import type { StatementPlace, StatementQuery } from "../runtime/abi/source-map.js";
import type { Trace } from "../runtime/abi/trace.js";
import { unloadable } from "./check/loadable.js";
import { refuseForeignNames } from "./check/names.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { reportRedactor } from "./diagnostics/redact-report.js";
import { diagnostic } from "./diagnostics/report.js";
import { renderText } from "./diagnostics/text.js";
import { draftOf } from "./diff/draft.js";
import { type DraftedModules, draftModules } from "./diff/draft-modules.js";
import type { Drafted } from "./diff/drafted.js";
import { byName, type FileResourceDelta, fileResourceDelta } from "./file-resource-delta.js";
import { type FoundCredentials, foundCredentials } from "./found-credentials.js";
import { Compilation, type Loaded, type Pending } from "./incremental.js";
import type { Change, CompileInput } from "./input.js";
import { bundlesOf } from "./packages/bundles.js";
import { contentHash } from "./packages/content-hash.js";
import { loadPackages } from "./packages/load.js";
import { keyOf, type NamedPackage, namedPackages } from "./packages/named.js";
import { type LoadedPackage, loadedPackages } from "./packages/outcomes.js";
import type { Path, SourceText } from "./parse/source.js";
import type { PatternAnalysisJob } from "./pattern-analysis.js";
import { distinctCredentials } from "./plan/credentials.js";
import { costOf, type PluginSummary } from "./plugin/cost.js";
import { pluginReadme } from "./plugin/documentation.js";
import { plugins } from "./plugin/registry.js";
import { type BuildPolicyReport, type BuiltContent, checkBuildPolicy } from "./policy/build-policy.js";
import { permitted } from "./policy/policy.js";
import { type CachedAnswer, importAnswers, OutOfTimeError, within } from "./regex/analysis-cache.js";
import { type ReadRegex, readRegex } from "./regex-tester/test-input.js";
import type { Kind, Resource } from "./resolve/resource.js";
import { masksOf } from "./secrets.js";
import { schemaComponents } from "./validate/components.js";
import { maskedPaths } from "./validate/masked.js";
import { kindSchema, pluginSchema } from "./validate/published.js";
import { schemaErrorText } from "./validate/reported-fault.js";
import { type ValidatedDocument, validateDocument } from "./validate-document.js";
import { type ExaminedCandidates, examinedCandidates } from "./which-route/examined-candidates.js";
import { type ModuleView, moduleView } from "./which-route/module-view.js";
import { type RedactedTexts, redactedTexts } from "./which-route/redacted-texts.js";
import { type ReadRequest, readRequest } from "./which-route/request.js";
import { statementPlace } from "./which-route/statement-place.js";
import { type ReadTrace, readTrace, redactedTrace } from "./which-route/trace.js";
import { type Tried, type WhichRouteReport, whichRouteReport } from "./which-route/which-route-report.js";

export type { FileResourceDelta, StaticResource } from "./file-resource-delta.js";
export { Compilation } from "./incremental.js";
export { testRegex } from "./regex-tester/test-regex.js";
export { validateDocument } from "./validate-document.js";

/** What the control plane needs to know of the files. */
interface OfFiles {
  diagnostics: Diagnostic[];
  /** Findings as `gwc check` prints them. */
  report: string;
  deployment: Loaded["deployment"];
  statics: FileResourceDelta;
}

/** Packages of plugins as loaded, and what they do at run time. */
export interface PackageLoadResult {
  packages: LoadedPackage[];
  bundles: PluginBundle[];
}

export type LoadedFiles = OfFiles & Pick<Loaded, "artifact" | "secrets">;
export type CompiledChange = Pick<
  Pending,
  "diagnostics" | "errorMessage" | "delta" | "secrets" | "absent"
> & {
  /** The patterns take long: nothing has been decided, and `analyse` is to work this out first. */
  heavy?: PatternAnalysisJob;
};
export type ReloadedFiles = OfFiles &
  CompiledChange & {
    /** Where a build is given: all that is to run beside it. */
    artifact?: Loaded["artifact"];
  };

/** Findings of what runs. */
export interface DiagnosticSummary {
  errors: number;
  warnings: number;
  notes: number;
  /** Errors first, some at the most. */
  first: { code: string; severity: Diagnostic["severity"]; message: string; place: string | null }[];
}

const MAX_DIAGNOSTICS = 20;
/** Milliseconds for patterns of a draft, which the trial before it has left known. */
const DRAFT_MS = 100;

/** Files as read, with what could not be read. */
export interface ReadFiles {
  sources: SourceText[];
  faults: Diagnostic[];
  environment: CompileInput["environment"];
  policy?: SourceText | undefined;
  /** As in `CompileInput`. */
  built?: CompileInput["built"];
}

/**
 * What the compiler thread answers: arguments and results are plain data. No module leaves that names anything beyond the
 * runtime's surface, whatever made it.
 */
export class CompilerRpc {
  readonly #compilation: Compilation;
  /** The files that were compiled last, for the variables that they name. */
  #files: ReadFiles = { sources: [], faults: [], environment: {} };
  #offeredFiles: ReadFiles | undefined;
  #deployment: Loaded["deployment"] = null;
  #offeredDeployment: { deployment: Loaded["deployment"] } | undefined;
  #pending: Pending | undefined;
  /** Packages of the first files, which stay until the process ends. */
  #named: readonly NamedPackage[] | undefined;
  /** The resources of the files, by name, as control knows them. */
  #told: ReadonlyMap<string, Resource> = new Map();
  #offered: ReadonlyMap<string, Resource> | undefined;

  constructor(compilation: Compilation = new Compilation()) {
    this.#compilation = compilation;
  }

  /** Loads the packages that the files name, once; before anything else. */
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
    this.#told = byName(loaded.resources);
    const statics = fileResourceDelta(this.#told, new Map(), files);
    if (foreign.length === 0) return { ...ofFiles(files, loaded), statics, artifact, secrets };
    const diagnostics = [...loaded.diagnostics, ...foreign];
    return { ...ofFiles(files, { ...loaded, diagnostics }), statics, artifact: undefined, secrets };
  }

  /** @param analysisMs milliseconds for patterns that are not known yet; beyond them the answer is `heavy` */
  write(changes: readonly Change[], analysisMs = Number.POSITIVE_INFINITY): CompiledChange {
    try {
      return this.#offer(within(analysisMs, () => this.#compilation.write(changes)));
    } catch (error) {
      if (!(error instanceof OutOfTimeError)) throw error;
      const heavy = { changes, settings: this.#compilation.settings };
      return { ...NOTHING_YET, heavy };
    }
  }

  /** What changes touch, before and after, while no other change is under way; null where that cannot be told. */
  draft(changes: readonly Change[]): Drafted | null {
    const context = { hidden: () => this.#hidden(), deployment: this.#deployment };
    return inTime(() => draftOf(this.#compilation, changes, context));
  }

  /** What becomes of modules, likewise. @param of whose module is told: "routes/orders" */
  draftModules(changes: readonly Change[], of?: string): DraftedModules | null {
    return inTime(() => draftModules(this.#compilation, changes, of, () => this.#hidden()));
  }

  /** Takes over what `analyse` has found out in another thread. */
  remember(notes: readonly CachedAnswer[]): void {
    importAnswers(notes);
  }

  reload(files: ReadFiles, without: readonly { kind: Kind; id: string }[] = []): ReloadedFiles {
    const reload = this.#compilation.reload(files, without);
    this.#offeredFiles = files;
    this.#offeredDeployment = { deployment: reload.deployment };
    const offered = this.#offer(reload, this.#outdated(files));
    const artifact = files.built && offered.delta && reload.artifact;
    const resources = byName(reload.resources);
    this.#offered = offered.delta && resources;
    return {
      statics: fileResourceDelta(resources, this.#told, files),
      ...ofFiles(files, { ...reload, diagnostics: offered.diagnostics }),
      ...offered,
      ...(artifact && { artifact }),
    };
  }

  judgeBuild(built: BuiltContent, policy: string, directory: string): BuildPolicyReport {
    return checkBuildPolicy(built, policy, directory);
  }

  settle(accepted: boolean): void {
    if (accepted) this.#pending?.commit();
    else this.#pending?.rollback();
    if (accepted && this.#offered) this.#told = this.#offered;
    if (accepted && this.#offeredFiles) this.#files = this.#offeredFiles;
    if (accepted && this.#offeredDeployment) this.#deployment = this.#offeredDeployment.deployment;
    this.#offeredFiles = undefined;
    this.#offeredDeployment = undefined;
    this.#pending = undefined;
    this.#offered = undefined;
  }

  places(asked: readonly StatementQuery[]): StatementPlace[] {
    return asked.map((one) => statementPlace(one, this.#compilation.running));
  }

  /** Findings of what runs: how many of each severity, and the first of them. */
  findings(): DiagnosticSummary {
    const found = this.#compilation.findings();
    const of = (wanted: Diagnostic["severity"]) => found.filter(({ severity }) => severity === wanted);
    const [errors, warnings, notes] = [of("error"), of("warning"), of("note")];
    const { secrets, open } = this.#hidden();
    return reportRedactor(
      secrets,
      open,
    )({
      ...{ errors: errors.length, warnings: warnings.length, notes: notes.length },
      first: [...errors, ...warnings, ...notes]
        .slice(0, MAX_DIAGNOSTICS)
        .map(({ code, severity, message, span }) => ({
          ...{ code, severity, message },
          place: span ? `${span.file}:${span.start.line}:${span.start.column}` : null,
        })),
    });
  }

  /** What `POST /gw/admin/regex` asks for. */
  readRegex(text: string): ReadRegex {
    return readRegex(text);
  }

  /** What `POST /gw/admin/which_route` asks for, with what all modules that run take credentials from. */
  readRequest(text: string): ReadRequest & { credentials: Credentials[] } {
    return { ...readRequest(text), credentials: this.#credentials() };
  }

  #credentials(): Credentials[] {
    const { rules, routes } = this.#compilation.running.state;
    const pipelines = [...rules.values(), ...Array.from(routes.values(), ({ pipeline }) => pipeline)];
    return distinctCredentials(pipelines);
  }

  /** Candidates that are examined one by one, and disabled routes, which are no candidates. */
  beside(candidates: Tried["candidates"]): ExaminedCandidates {
    return examinedCandidates(candidates, this.#compilation.running);
  }

  /** The answer to it, out of what was tried. */
  told(tried: Tried): WhichRouteReport {
    return whichRouteReport(tried, this.#compilation.running, this.#hidden());
  }

  /** What `POST /gw/admin/trace` asks for. */
  readTrace(text: string): ReadTrace {
    return readTrace(text, { credentials: this.#credentials(), hidden: () => this.#hidden() });
  }

  /** A trace as answers show it. */
  toldTrace(trace: Trace): Trace {
    return redactedTrace(trace, this.#compilation.running, this.#hidden());
  }

  /** What a resource that runs became; null where there is no such resource, or it has no module. */
  moduleView(kind: Kind, id: string): ModuleView | null {
    return moduleView(kind, id, this.#compilation.running, this.#hidden());
  }

  /** Texts of what runs that no answer shows. */
  #hidden(): RedactedTexts {
    const { inventory, state } = this.#compilation.running;
    return redactedTexts(inventory, this.#files, state.secrets().values());
  }

  schema(kind: string): object | null {
    return kindSchema(kind) ?? null;
  }

  pluginSchema(name: string, type?: "consumer" | "metadata"): object | null {
    return pluginSchema(name, type) ?? null;
  }

  schemaComponents(): Record<string, object> {
    return schemaComponents();
  }

  /** Markdown; null where the plugin has none, undefined where there is no such plugin. */
  pluginReadme(name: string): string | null | undefined {
    return pluginReadme(name);
  }

  plugins(): PluginSummary[] {
    return plugins()
      .map((plugin) => ({ name: plugin.name, priority: plugin.priority, cost: costOf(plugin) }))
      .sort((a, b) => b.priority - a.priority);
  }

  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Path[][] {
    return resources.map(({ kind, value }) => maskedPaths(kind, value));
  }

  /** Credentials that their names tell, by the names of what runs and of the resources themselves. */
  credentialPlaces(resources: readonly Pick<Resource, "kind" | "value">[]): FoundCredentials {
    return foundCredentials(this.#compilation.running.inventory, resources);
  }

  validate(kind: Kind, value: unknown): string | null {
    return schemaErrorText(kind, value) ?? null;
  }

  /** @returns null where patterns that are not known take longer than `analysisMs` */
  validateDocument(text: string, format: "json" | "yaml", analysisMs: number): ValidatedDocument | null {
    return inTime(() => validateDocument(text, format), analysisMs);
  }

  /** Packages that are named no longer or hold other code, though that of the start stays. New ones the compile itself reports. */
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

/** Null where patterns that are not known take long. */
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

/** `vm.compileFunction` is no sandbox, so a text is read before any worker gets it, and compiled: 0.2 ms for the 35 lines of a route. */
function refused(modules: readonly ModuleCode[]): Diagnostic[] {
  const foreign = modules.flatMap(({ file, code }) => {
    const reason = refuseForeignNames(code);
    return reason === null ? [] : [diagnostic("GW5003", undefined, { file, message: reason })];
  });
  return [...unloadable(modules), ...foreign];
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
  loaded: Pick<Loaded, "diagnostics" | "deployment" | "credentialNames">,
): Omit<OfFiles, "statics"> {
  const { diagnostics, deployment, credentialNames } = loaded;
  const masks = masksOf(sources, diagnostics, environment, credentialNames);
  const report = renderText(diagnostics, { sources, masks });
  return { diagnostics, report, deployment };
}
