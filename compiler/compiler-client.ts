import type { BuiltResource } from "../runtime/abi/build-files.js";
import { messageOf } from "../runtime/abi/error-message.js";
import type { StatementLocation, StatementQuery } from "../runtime/abi/source-map.js";
import type { Trace } from "../runtime/abi/trace.js";
import type {
  CompiledChange,
  CompilerRpc,
  DiagnosticSummary,
  LoadedFiles,
  PackageLoadResult,
  ReadFiles,
  ReloadedFiles,
} from "./compiler-rpc.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { Comparisons } from "./diff/comparisons.js";
import type { DraftedModules } from "./diff/draft-modules.js";
import type { Drafted } from "./diff/drafted.js";
import type { EffectReply } from "./diff/effect-thread.js";
import { Documents } from "./documents.js";
import type { FoundCredentials } from "./found-credentials.js";
import type { Change, StoredResource } from "./input.js";
import { type CompiledTexts, compiledTexts, inputsHash } from "./inputs-hash.js";
import type { LoadedPackage } from "./packages/outcomes.js";
import type { Path } from "./parse/source.js";
import type { PatternAnalysisJob } from "./pattern-analysis.js";
import { PatternAnalysisQueue } from "./pattern-analysis-queue.js";
import type { PluginSummary } from "./plugin/cost.js";
import type { BuildPolicyReport, BuiltContent } from "./policy/build-policy.js";
import { policyHash } from "./policy/policy-file.js";
import { readFiles } from "./read-files.js";
import { RegexTester } from "./regex-tester/regex-tester.js";
import type { ReadRegex } from "./regex-tester/test-input.js";
import type { Kind } from "./resolve/resource.js";
import { ThreadLine } from "./thread-line.js";
import type { ValidatedDocument } from "./validate-document.js";
import type { ExaminedCandidates } from "./which-route/examined-candidates.js";
import type { ModuleView } from "./which-route/module-view.js";
import type { ReadTrace } from "./which-route/trace.js";
import type { RequestResult, WhichRouteReport } from "./which-route/which-route-report.js";

export interface CompilerOptions {
  /** Base directory of paths and of the names in diagnostics. Default: the working directory. */
  directory?: string;
  /** Called when the thread has died. Pending calls were rejected; the next call starts another thread. */
  onEnd?(reason: string): void;
  /** As in `CompileInput`. */
  secretKey?: string;
  /** Policy file, read with the configuration files. */
  policy?: string | undefined;
  /** Modules that register the available plugins, as file: URLs. */
  plugins: readonly string[];
  /** Module that exports `Simulators`, which run the compared configurations, as a file: URL. */
  trials: string;
}

/** Compiler in its own thread. It accepts one change at a time: `write` or `reload`, then `settle`. */
export interface CompilerThread {
  /** @param built resources of the running build, which replace the files */
  load(
    paths: readonly string[],
    stored: readonly StoredResource[],
    built?: readonly BuiltResource[],
  ): Promise<LoadedFiles & Pick<PackageLoadResult, "bundles"> & CompiledTexts>;
  /** Digest (`inputsHash`) of the files that `load` would read now. */
  inputs(paths: readonly string[], stored: readonly StoredResource[]): string | undefined;
  /** Digest (`policyHash`) of the current content of the policy file. */
  policy(): string | undefined;
  /**
   * @param analysisMs time limit in ms for patterns that are not analyzed yet; beyond it the reply has
   * `heavy`
   */
  write(changes: readonly Change[], analysisMs?: number): Promise<CompiledChange>;
  /**
   * Runs the slow pattern analysis of a write in another thread, so that the write itself is fast afterwards.
   * @returns a diagnostic if the analysis exceeds its time limit
   */
  analyse(work: PatternAnalysisJob): Promise<Diagnostic | undefined>;
  /** State before and after the changes; null if it cannot be determined. No other change may be pending. */
  draft(changes: readonly Change[]): Promise<Drafted | null>;
  draftModules(changes: readonly Change[], of?: string): Promise<DraftedModules | null>;
  /** Compares the two states in parallel to writes. */
  compare(drafted: Drafted): Promise<EffectReply>;
  /** @param without resources of the store that the files take over */
  reload(
    paths: readonly string[],
    without?: readonly { kind: Kind; id: string }[],
    built?: readonly BuiltResource[],
  ): Promise<ReloadedFiles & CompiledTexts>;
  /** Commits the last change, which becomes the base of the next one, or discards it. */
  settle(accepted: boolean): Promise<void>;
  judgeBuild(built: BuiltContent, policy: string, directory: string): Promise<BuildPolicyReport>;
  places(asked: readonly StatementQuery[]): Promise<StatementLocation[]>;
  findings(): Promise<DiagnosticSummary>;
  readRequest(text: string): Promise<ReturnType<CompilerRpc["readRequest"]>>;
  /** @returns an error in the query, or the reason for a missing result, if there is none */
  tryRegex(text: string): ReturnType<RegexTester["answer"]>;
  moduleView(kind: Kind, id: string): Promise<ModuleView | null>;
  beside(candidates: RequestResult["candidates"]): Promise<ExaminedCandidates>;
  told(tried: RequestResult): Promise<WhichRouteReport>;
  readTrace(text: string): Promise<ReadTrace>;
  toldTrace(trace: Trace): Promise<Trace>;
  schema(kind: string): Promise<object | null>;
  pluginSchema(name: string, type?: "consumer" | "metadata"): Promise<object | null>;
  pluginReadme(name: string): Promise<string | null | undefined>;
  schemaComponents(): Promise<Record<string, object>>;
  plugins(): Promise<PluginSummary[]>;
  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Promise<Path[][]>;
  credentialPlaces(resources: readonly { kind: Kind; value: unknown }[]): Promise<FoundCredentials>;
  validate(kind: Kind, value: unknown): Promise<string | null>;
  validateDocument(text: string, format: "json" | "yaml"): Promise<ValidatedDocument>;
  close(): Promise<void>;
}

/** Starts the thread. If it dies, a new thread starts and receives the committed state. */
export function startCompiler(options: CompilerOptions): CompilerThread {
  const { secretKey, plugins, trials: trialModule } = options;
  const line = new ThreadLine(options.onEnd, { secretKey, plugins });
  const analyses = new PatternAnalysisQueue(plugins);
  const documents = documentsBeside(line, plugins);
  const comparisons = new Comparisons({ plugins, trials: trialModule });
  const trials = new RegexTester();
  const memory = new CommittedState(options.directory ?? process.cwd(), options.policy);
  line.onReplace = () => memory.replay(line);
  return {
    async load(paths, stored, built) {
      const files = memory.read(paths, built);
      const { packages, bundles } = (await line.call("begin", [files])) as PackageLoadResult;
      for (const beside of [analyses, documents, comparisons]) beside.packages = packages;
      const loading = line.call("load", [files, stored]) as Promise<LoadedFiles>;
      const texts = compiledTexts(files, stored);
      const loaded = await loading;
      memory.loaded(files, stored, packages);
      return { ...loaded, bundles, ...texts };
    },
    ...digestsOf(memory),
    ...changesOf(line, memory),
    async analyse(work) {
      const notes = await analyses.run(work);
      if (!Array.isArray(notes)) return notes;
      await line.call("remember", [notes]);
      return undefined;
    },
    draft: (changes) => line.call("draft", [changes]) as Promise<Drafted | null>,
    draftModules: (changes, of) => line.call("draftModules", [changes, of]) as Promise<DraftedModules | null>,
    compare: (drafted) => comparisons.run(drafted),
    places: (asked) => line.call("places", [asked]) as Promise<StatementLocation[]>,
    findings: () => line.call("findings", []) as Promise<DiagnosticSummary>,
    readRequest: (text) =>
      line.call("readRequest", [text]) as Promise<ReturnType<CompilerRpc["readRequest"]>>,
    tryRegex: (text) => trials.answer(() => line.call("readRegex", [text]) as Promise<ReadRegex>),
    moduleView: (kind, id) => line.call("moduleView", [kind, id]) as Promise<ModuleView | null>,
    beside: (candidates) => line.call("beside", [candidates]) as Promise<ExaminedCandidates>,
    told: (tried) => line.call("told", [tried]) as Promise<WhichRouteReport>,
    readTrace: (text) => line.call("readTrace", [text]) as Promise<ReadTrace>,
    toldTrace: (trace) => line.call("toldTrace", [trace]) as Promise<Trace>,
    ...schemaCalls(line, documents),
    async close() {
      trials.close();
      comparisons.close();
      await Promise.all([analyses.close(), documents.close(), line.close()]);
    },
  };
}

/** Calls that change the running configuration, and their commit or rollback. */
const changesOf = (
  line: ThreadLine,
  memory: CommittedState,
): Pick<CompilerThread, "write" | "reload" | "settle"> => ({
  async write(changes, analysisMs) {
    const written = (await line.call("write", [changes, analysisMs])) as CompiledChange;
    memory.offered({ changes, absent: written.absent }, written.delta !== undefined);
    return written;
  },
  async reload(paths, without = [], built) {
    const files = memory.read(paths, built);
    const reloading = line.call("reload", [files, without]) as Promise<ReloadedFiles>;
    // Hashed while the thread compiles: 12 ms for 10 MB.
    const texts = compiledTexts(files, memory.storedBut(without));
    const reloaded = await reloading;
    memory.offered({ files, without }, reloaded.delta !== undefined);
    return { ...reloaded, ...texts };
  },
  async settle(accepted) {
    memory.settled(accepted);
    await line.call("settle", [accepted]);
  },
});

/** Digests of the files as they are now, without a compile. */
const digestsOf = (memory: CommittedState): Pick<CompilerThread, "inputs" | "policy"> => ({
  inputs: (paths, stored) => inputsHash(memory.read(paths), stored),
  policy: () => policyHash(memory.read([]).policy),
});

const documentsBeside = (line: ThreadLine, plugins: readonly string[]) =>
  new Documents(
    ({ text, format }, analysisMs) =>
      line.call("validateDocument", [text, format, analysisMs]) as Promise<ValidatedDocument | null>,
    new PatternAnalysisQueue(plugins),
  );

/** Calls that need no configuration. */
const schemaCalls = (
  line: ThreadLine,
  documents: Documents,
): Pick<
  CompilerThread,
  | "judgeBuild"
  | "schema"
  | "pluginSchema"
  | "pluginReadme"
  | "schemaComponents"
  | "plugins"
  | "secretPaths"
  | "credentialPlaces"
  | "validate"
  | "validateDocument"
> => ({
  judgeBuild: (...given) => line.call("judgeBuild", given) as Promise<BuildPolicyReport>,
  schema: (kind) => line.call("schema", [kind]) as Promise<object | null>,
  pluginSchema: (name, type) => line.call("pluginSchema", [name, type]) as Promise<object | null>,
  pluginReadme: (name) => line.call("pluginReadme", [name]) as Promise<string | null | undefined>,
  schemaComponents: () => line.call("schemaComponents", []) as Promise<Record<string, object>>,
  plugins: () => line.call("plugins", []) as Promise<PluginSummary[]>,
  secretPaths: (resources) => line.call("secretPaths", [resources]) as Promise<Path[][]>,
  credentialPlaces: (resources) => line.call("credentialPlaces", [resources]) as Promise<FoundCredentials>,
  validate: (kind, value) => line.call("validate", [kind, value]) as Promise<string | null>,
  validateDocument: (text, format) => documents.validate({ text, format }),
});

/** Change that is neither committed nor discarded. */
type PendingChange =
  | { changes: readonly Change[]; absent: CompiledChange["absent"] }
  | { files: ReadFiles; without: readonly { kind: Kind; id: string }[] };

/** State from which a new thread continues where the old one ended. */
class CommittedState {
  readonly #directory: string;
  readonly #policy: string | undefined;
  #files: ReadFiles | undefined;
  #packages: readonly LoadedPackage[] = [];
  readonly #stored = new Map<string, StoredResource>();
  #pending: PendingChange | undefined;

  constructor(directory: string, policy: string | undefined) {
    this.#directory = directory;
    this.#policy = policy;
  }

  read(paths: readonly string[], built?: readonly BuiltResource[]): ReadFiles {
    return { ...readFiles(paths, this.#directory, this.#policy), ...(built && { built }) };
  }

  /** @param without resources of the store that the files take over */
  storedBut(without: readonly { kind: Kind; id: string }[]): StoredResource[] {
    const names = new Set(without.map(({ kind, id }) => `${kind}/${id}`));
    return [...this.#stored].flatMap(([name, entry]) => (names.has(name) ? [] : [entry]));
  }

  /** Records a successful load. A load that ended the thread is not replayed to the next one. */
  loaded(files: ReadFiles, stored: readonly StoredResource[], packages: readonly LoadedPackage[]): void {
    this.#files = files;
    this.#packages = packages;
    this.#pending = undefined;
    this.#stored.clear();
    for (const entry of stored) this.#stored.set(`${entry.kind}/${entry.id}`, entry);
  }

  offered(change: PendingChange, accepted: boolean): void {
    this.#pending = accepted ? change : undefined;
  }

  settled(accepted: boolean): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending || !accepted) return;
    if ("files" in pending) {
      this.#files = pending.files;
      for (const { kind, id } of pending.without) this.#stored.delete(`${kind}/${id}`);
      return;
    }
    for (const change of pending.changes) {
      const { kind, id } = "put" in change ? change.put : change.remove;
      if ("put" in change)
        this.#stored.set(`${kind}/${id}`, { kind, id, value: JSON.parse(change.put.text) as unknown });
      else this.#stored.delete(`${kind}/${id}`);
    }
    for (const { kind, id } of pending.absent) this.#stored.set(`${kind}/${id}`, { kind, id, value: null });
  }

  /**
   * Restores the committed state in a new thread. The pending change died with the old thread: its caller
   * received an error and will not settle it. If the new thread ends as well, there is no other attempt
   * before the next `load`.
   */
  replay(line: ThreadLine): void {
    this.#pending = undefined;
    const files = this.#files;
    if (!files) return;
    this.#files = undefined;
    this.#tell(line, files)
      .then(() => {
        this.#files ??= files;
      })
      .catch((error: unknown) => {
        const reason = messageOf(error);
        const isOther = error instanceof PackagesChangedError;
        line.refuse(isOther ? reason : `the compiler ended twice, restart the gateway: ${reason}`);
      });
  }

  async #tell(line: ThreadLine, files: ReadFiles): Promise<void> {
    const begun = line.call("begin", [files]) as Promise<PackageLoadResult>;
    const loaded = line.call("load", [files, [...this.#stored.values()]]);
    // A thread that ends rejects both promises, and only the first is awaited then.
    loaded.catch(() => {});
    const { packages } = await begun;
    const other = this.#packages.find(({ root, hash }) => hashOf(packages, root) !== hash);
    // Workers loaded the packages at the start: modules of other versions would not fit.
    if (other !== undefined)
      throw new PackagesChangedError(`"${other.name}" has changed since the start; restart the gateway`);
    await loaded;
  }
}

class PackagesChangedError extends Error {}

const hashOf = (packages: readonly LoadedPackage[], root: string) =>
  packages.find((one) => one.root === root)?.hash;
