import type { ResourceName } from "../../compiler/resolve/resource.js";
import type { PatternAnalysisJob } from "../../compiler/thread/pattern-analysis.js";
import type { Delta } from "../abi/generation.js";
import type { Secrets } from "../process/messages.js";
import {
  type BuildOverlay,
  type BuiltLists,
  compileOverlay,
  isAmong,
  overlayDelta,
} from "./build-overlay.js";
import { commitOf, compilerChange, type Put, type Write } from "./change.js";
import type { ControlCompiler } from "./compiler.js";
import type { ConfigurationParts, Look, WriteContext } from "./configuration-parts.js";
import { deltaTo, isEmpty, mergeArtifacts } from "./delta.js";
import type { GenerationStore } from "./generation-store.js";
import { commitOfFiles, storeUnpublished } from "./history/commit-of-files.js";
import { type FileChange, fileChanges } from "./history/file-changes.js";
import type { History } from "./history/history.js";
import type { Build } from "./launch-settings.js";
import type { NamedCredentials } from "./named-credentials.js";
import type { Publication, Published } from "./publication.js";
import { Queue } from "./queue.js";
import {
  type Adopted,
  type Adoption,
  countedReload,
  notPublished,
  notTaken,
  type Reloaded,
  type ReloadedSettings,
  type Taken,
  taken,
  undefinedIn,
} from "./reloaded.js";
import {
  builtNames,
  ofBuild,
  type ResourceCatalog,
  type StaticResource,
  type StaticResourceDelta,
} from "./resource-catalog.js";
import type { SecretMasking } from "./secret-masking.js";
import type { Settings } from "./settings.js";
import { type ChangeOrigin, type Store, type StoreCommit, storeFullReason } from "./store/store.js";
import { unmasked } from "./unmasked.js";
import {
  compilerFailed,
  countedAs,
  NOT_COMPILED,
  rejectedWrite,
  unpublished,
  type WriteResult,
} from "./write-result.js";

/** Compiled files as a reload publishes them. */
interface CompiledFiles {
  delta: Delta;
  statics: StaticResourceDelta;
  secrets: ReadonlyMap<string, string>;
  deployment: unknown;
}

/** Running configuration: serialises writes and takes each through compile, publication and store. */
export class Configuration {
  readonly resources: ResourceCatalog;
  readonly #compiler: ControlCompiler | null;
  readonly #publication: Publication;
  readonly #store: Store;
  readonly history: History;
  readonly redaction: SecretMasking;
  readonly credentials: NamedCredentials;
  readonly #settingsOf: ConfigurationParts["settingsOf"];
  readonly #wrote: NonNullable<ConfigurationParts["wrote"]>;
  #revision: number;
  readonly #queue = new Queue();
  #built: BuiltLists | undefined;

  constructor(parts: ConfigurationParts, revision: number, built?: BuiltLists) {
    this.#built = built;
    this.resources = parts.resources;
    this.#compiler = parts.compiler;
    this.#publication = parts.publication;
    this.#store = parts.store;
    this.history = parts.history;
    this.redaction = parts.redaction;
    this.credentials = parts.credentials;
    this.#settingsOf = parts.settingsOf;
    this.#wrote = parts.wrote ?? (() => {});
    this.#revision = revision;
  }

  /**
   * Calls `decide` with the current state and returns its answer; a `Write` is compiled, published and stored
   * before `written` makes the answer.
   * @param origin author of the change, for the history
   * @param dryRun true to compile the write and discard it
   * @param look called with the compiler during a dry run, before another write starts
   */
  change<Answer>(
    decide: (context: WriteContext) => Write | { answer: Answer },
    written: (outcome: WriteResult) => Answer,
    origin: ChangeOrigin,
    dryRun = false,
    look: Look = async () => {},
  ): Promise<Answer> {
    const attempt = (analysisMs: number | undefined) =>
      this.#queue.run(async () => {
        const decision = decide({ resources: this.resources, revision: this.#revision + 1 });
        return "answer" in decision ? decision : this.#write(decision, origin, { dryRun, look, analysisMs });
      });
    const answerOf = (outcome: WriteResult | { answer: Answer }): Answer => {
      if ("answer" in outcome) return outcome.answer;
      if (!dryRun) this.#wrote(countedAs(outcome));
      return written(outcome);
    };
    return attempt(ANALYSIS_MS).then(async (first) => {
      if (!("heavy" in first)) return answerOf(first);
      // Out of the queue, so that other writes can overtake. Decides again, as they may have changed the
      // state.
      const tooLong = await this.#needCompiler()
        .analyse(first.heavy)
        .catch(() => undefined);
      if (tooLong) return answerOf(rejectedWrite(tooLong));
      const second = await attempt(undefined);
      return answerOf("heavy" in second ? NOT_COMPILED : second);
    });
  }

  async #write(
    asked: Write,
    origin: ChangeOrigin,
    { dryRun, look, analysisMs }: { dryRun: boolean; look: Look; analysisMs: number | undefined },
  ): Promise<WriteResult | { heavy: PatternAnalysisJob }> {
    const compiler = this.#needCompiler();
    const write = "put" in asked ? await this.#unmasked(asked.put).catch(compilerFailed) : asked;
    if ("diagnostics" in write) return NOT_COMPILED;
    if ("refused" in write) return { ok: false, status: 400, errorMessage: write.refused, diagnostics: [] };
    const compiled = await compiler.write([compilerChange(write)], analysisMs).catch(compilerFailed);
    const { delta, diagnostics, absent, heavy } = compiled;
    if (heavy) return { heavy };
    if (!delta) {
      return compiled.errorMessage === ""
        ? NOT_COMPILED
        : { ok: false, status: 400, errorMessage: compiled.errorMessage, diagnostics };
    }
    const revision = this.#revision + 1;
    const commit = commitOf(write, { absent, revision, origin }, this.resources);
    const { kind, id } = "put" in write ? write.put : write.remove;
    const before = this.resources.get(kind, id);
    const done = { ok: true as const, resource: commit.put[0], created: !before, warnings: diagnostics };
    const next = this.#built ? overlayDelta(this.#built, delta) : delta;
    const secrets = Object.fromEntries(compiled.secrets);
    if (dryRun) {
      await compiler.settle(false);
      const refused = await this.#publication.dryRun(next, secrets);
      if (refused) return unpublished(refused, diagnostics);
      await look(compiler, [compilerChange(write)]);
      return done;
    }
    const after = "put" in write ? commit.put[0] : undefined;
    const history = this.history.prepare(revision, [{ origin, kind, id, before, after }]);
    const settle = (accepted: boolean) => compiler.settle(accepted);
    const published = await this.#publish(next, secrets, { ...commit, revision, history }, settle);
    if (!published.ok) return unpublished(published, diagnostics);
    void this.#queue.run(() => this.#publication.tidy());
    return done;
  }

  /** Publishes and commits atomically; the compiler receives the outcome also if this throws. */
  async #publish(
    delta: Delta,
    secrets: Secrets,
    commit: Omit<StoreCommit, "generation">,
    settle: (accepted: boolean) => Promise<void>,
    reloaded?: Settings,
  ): Promise<Published> {
    const unstored = storeFullReason(this.#store, { ...commit, generation: 0 });
    if (unstored !== undefined) {
      await settle(false);
      return { ok: false, store: unstored };
    }
    const store = (generation: number) => this.#store.commit({ ...commit, generation });
    const published = await this.#publication
      .publish(delta, secrets, store, reloaded?.tlsPolicy)
      .catch(async (error: unknown) => {
        await settle(false);
        throw error;
      });
    await settle(published.ok);
    if (!published.ok) return published;
    this.#revision = commit.revision;
    if (commit.history) this.history.committed(commit.history);
    for (const { kind, id } of commit.remove) this.resources.remove(kind, id);
    for (const resource of commit.put) this.resources.put(resource);
    return published;
  }

  #unmasked(put: Put): ReturnType<typeof unmasked> {
    const { credentials, redaction } = this;
    const parts = { compiler: this.#needCompiler(), credentials, redaction };
    return unmasked(put, this.resources.get(put.kind, put.id), parts);
  }

  /** Reads the files again. If they do not compile, store and running generation do not change. */
  reload(paths: readonly string[]): Promise<Reloaded> {
    return this.#queue.run(async () => this.#counted(await this.#takeFiles(paths, [])));
  }

  /** Reloads while the last known good generation (`saved`) runs, which the compiler does not know. */
  recover(paths: readonly string[], saved: GenerationStore): Promise<Reloaded> {
    return this.#queue.run(async () => this.#counted(await this.#takeAll(paths, saved, [])));
  }

  /**
   * Replaces the running build and compiles the overlay of the store again.
   * @param adopted resources of the store that it takes over; the same commit removes their stored copies
   */
  replaceBuild(
    build: Build,
    saved: GenerationStore,
    adopted: readonly Adoption[] = [],
    dryRun = false,
  ): Promise<Adopted> {
    return this.#queue.run(async () => {
      if (adopted.some(({ kind, id }) => !this.resources.get(kind, id))) return "absent";
      const stored = this.resources.allStored();
      const beside = await compileOverlay(build, adopted, stored, this.#compiler);
      const { reason, report, diagnostics, policy } = beside;
      const outcome =
        reason === undefined
          ? await this.#takeBuild(build, beside, { saved, adopted, dryRun })
          : notTaken(reason);
      const done = { ...outcome, report, diagnostics, policy };
      return dryRun ? done : this.#counted(done);
    });
  }

  async #takeBuild(
    build: Build,
    { artifact, secrets = this.#publication.secrets, settle }: BuildOverlay,
    { saved, adopted, dryRun }: { saved: GenerationStore; adopted: readonly Adoption[]; dryRun: boolean },
  ): Promise<Taken> {
    const { artifact: built } = build;
    const delta = deltaTo(saved.content, mergeArtifacts(built, artifact));
    const read = this.#settingsOf(build.deployment);
    if (dryRun || "fault" in read) {
      await settle(false);
      if ("fault" in read) return notTaken(read.fault);
      const refused = await this.#publication.dryRun(delta, secrets, read.settings.tlsPolicy);
      return refused ? notPublished(refused) : taken(read.settings);
    }
    const isStored = !isEmpty(delta) || adopted.length > 0;
    const changes = fileChanges(this.resources, ofBuild(build));
    if (isStored) {
      const commit = this.#commitOf(adopted, build.resources, changes);
      const published = await this.#publish(delta, secrets, commit, settle, read.settings);
      if (!published.ok) return notPublished(published);
    } else {
      await settle(true);
      this.#keepChanges(changes);
    }
    this.resources.setBuilt(builtNames(built));
    this.resources.setStatic(() => build.resources);
    this.#built = built;
    return taken(read.settings, isStored ? "committed" : undefined);
  }

  /**
   * Lets the files take over a resource of the store; the same commit removes the stored copy.
   * @param saved present while the last known good generation runs
   * @param dryRun true to compile the files and discard the result
   */
  adopt(
    paths: readonly string[],
    adoption: Adoption,
    saved: GenerationStore | undefined,
    dryRun = false,
  ): Promise<Adopted> {
    return this.#queue.run(async () => {
      if (!this.resources.get(adoption.kind, adoption.id)) return "absent";
      const adopted = [adoption];
      if (dryRun) return this.#tryFiles(paths, adopted);
      const taking = saved ? this.#takeAll(paths, saved, adopted) : this.#takeFiles(paths, adopted);
      return this.#counted(await taking);
    });
  }

  #counted(reloaded: Reloaded): Reloaded {
    this.#wrote(countedReload(reloaded));
    return reloaded;
  }

  async #takeFiles(paths: readonly string[], adopted: readonly Adoption[]): Promise<Reloaded> {
    const compiler = this.#needCompiler();
    const compiled = await compiler.reload(paths, adopted);
    if (!compiled.delta) return { ...compiled, ok: false, reason: compiled.errorMessage };
    const outcome = await this.#publishFiles({ ...compiled, delta: compiled.delta }, adopted);
    await compiler.settle(outcome.ok);
    return { ...compiled, ...outcome };
  }

  /** Dry run of `#takeFiles`. */
  async #tryFiles(paths: readonly string[], adopted: readonly ResourceName[]): Promise<Reloaded> {
    const compiler = this.#needCompiler();
    const compiled = await compiler.reload(paths, adopted);
    if (!compiled.delta) return { ...compiled, ok: false, reason: compiled.errorMessage };
    await compiler.settle(false);
    const read = this.#readFiles(compiled, adopted);
    if ("fault" in read) return { ...compiled, ...notTaken(read.fault) };
    const secrets = Object.fromEntries(compiled.secrets);
    const refused = await this.#publication.dryRun(compiled.delta, secrets, read.settings.tlsPolicy);
    return { ...compiled, ...(refused ? notPublished(refused) : taken(read.settings)) };
  }

  async #takeAll(
    paths: readonly string[],
    saved: GenerationStore,
    adopted: readonly Adoption[],
  ): Promise<Reloaded> {
    const stored = this.resources.allStored().filter((resource) => !isAmong(adopted, resource));
    const compiled = await this.#needCompiler().load(
      paths,
      stored.map(({ kind, id, value }) => ({ kind, id, value })),
    );
    if (!compiled.artifact) return { ...compiled, ok: false, reason: compiled.report };
    const delta = deltaTo(saved.content, compiled.artifact);
    // The files behind the last known good generation are unknown, so every resource would appear as created.
    return { ...compiled, ...(await this.#publishFiles({ ...compiled, delta }, adopted, [])) };
  }

  async #publishFiles(
    compiled: CompiledFiles,
    adopted: readonly Adoption[],
    changes = fileChanges(this.resources, compiled.statics),
  ): Promise<Taken> {
    const { delta, statics, secrets } = compiled;
    const read = this.#readFiles(compiled, adopted);
    if ("fault" in read) return notTaken(read.fault);
    const values = Object.fromEntries(secrets);
    if (adopted.length === 0 && this.#publication.isCommitted(delta, values)) {
      this.#keepChanges(changes);
      this.resources.changeStatic(statics);
      return taken(read.settings);
    }
    const commit = this.#commitOf(adopted, statics.put, changes);
    const published = await this.#publish(delta, values, commit, async () => {}, read.settings);
    if (!published.ok) return notPublished(published);
    this.resources.changeStatic(statics);
    return taken(read.settings, "committed");
  }

  #readFiles(
    { statics, deployment }: Omit<CompiledFiles, "delta">,
    adopted: readonly ResourceName[],
  ): ReloadedSettings {
    const lacking = undefinedIn(statics, adopted);
    return lacking === undefined ? this.#settingsOf(deployment) : { fault: lacking };
  }

  #commitOf(
    adopted: readonly Adoption[],
    written: readonly StaticResource[],
    changes: readonly FileChange[],
  ): Omit<StoreCommit, "generation"> {
    return commitOfFiles(this, { revision: this.#revision + 1, adopted, written, changes });
  }

  #keepChanges(changes: readonly FileChange[]): void {
    const generation = this.#publication.committed?.number ?? 0;
    const commit = { ...this.#commitOf([], [], changes), generation };
    if (storeUnpublished(this.#store, this.history, commit)) this.#revision = commit.revision;
  }

  #needCompiler(): ControlCompiler {
    if (!this.#compiler) throw new Error("a write without a compiler");
    return this.#compiler;
  }

  /** Resolves when no write is pending. */
  settled(): Promise<void> {
    return this.#queue.run(async () => {});
  }
}

/** Time limit in ms for the analysis of uncached patterns while other writes wait. */
const ANALYSIS_MS = 100;
