import type { Change } from "../../compiler/model/input.js";
import type { CompilerThread, PendingCompile } from "../../compiler/thread/compiler-client.js";
import type { PatternAnalysisJob } from "../../compiler/thread/pattern-analysis.js";
import type { Delta } from "../abi/generation.js";
import type { Secrets } from "../process/messages.js";
import { type BuiltLists, overlayDelta } from "./build-overlay.js";
import { type Candidate, compileSource, type Source } from "./candidate.js";
import {
  type Counted,
  commitOf,
  compilerChange,
  compilerFailed,
  countedAs,
  NOT_COMPILED,
  type Put,
  rejectedWrite,
  unmasked,
  unpublished,
  type Write,
  type WriteResult,
} from "./change.js";
import { commitOfFiles, type FileChange, storeUnpublished } from "./history/file-changes.js";
import type { History } from "./history/history.js";
import type { NamedCredentials } from "./named-credentials.js";
import type { Publication, Published } from "./publication.js";
import {
  type Adopted,
  type Adoption,
  type Applied,
  applied,
  countedReload,
  notApplied,
  notPublished,
  type ReloadedSettings,
} from "./reloaded.js";
import type { ResourceCatalog, StaticResource } from "./resource-catalog.js";
import type { SecretMasking } from "./secret-masking.js";
import type { Settings } from "./settings.js";
import { type ChangeOrigin, type Store, type StoreCommit, storeFullReason } from "./store/store.js";

interface ApplyOptions {
  adopted?: readonly Adoption[];
  dryRun?: boolean;
}

/** Running configuration: serialises writes and takes each through compile, publication and store. */
export class Configuration {
  readonly resources: ResourceCatalog;
  readonly history: History;
  readonly redaction: SecretMasking;
  readonly credentials: NamedCredentials;
  readonly #parts: ConfigurationParts;
  #revision: number;
  readonly #queue = new Queue();
  #built: BuiltLists | undefined;

  constructor(parts: ConfigurationParts, revision: number, built?: BuiltLists) {
    this.#parts = parts;
    this.#built = built;
    this.resources = parts.resources;
    this.history = parts.history;
    this.redaction = parts.redaction;
    this.credentials = parts.credentials;
    this.#revision = revision;
  }

  /**
   * Calls `decide` with the current state; a `Write` is compiled, published and stored before `written` makes
   * the answer. `inspect` runs in a dry run, before another write starts.
   */
  change<Answer>(
    decide: (context: WriteContext) => Write | { answer: Answer },
    written: (outcome: WriteResult) => Answer,
    origin: ChangeOrigin,
    dryRun = false,
    inspect: Inspect = async () => {},
  ): Promise<Answer> {
    const attempt = (analysisMs: number | undefined) =>
      this.#queue.run(async () => {
        const decision = decide({ resources: this.resources, revision: this.#revision + 1 });
        return "answer" in decision
          ? decision
          : this.#write(decision, origin, { dryRun, inspect, analysisMs });
      });
    const answerOf = (outcome: WriteResult | { answer: Answer }): Answer => {
      if ("answer" in outcome) return outcome.answer;
      if (!dryRun) this.#parts.onWrite?.(countedAs(outcome));
      return written(outcome);
    };
    return attempt(ANALYSIS_MS).then(async (first) => {
      if (!("heavy" in first)) return answerOf(first);
      // Out of the queue, so that other writes can overtake. Decides again, as they may have changed the state.
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
    { dryRun, inspect, analysisMs }: { dryRun: boolean; inspect: Inspect; analysisMs: number | undefined },
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
      await compiler.discard();
      const refused = await this.#parts.publication.dryRun(next, secrets);
      if (refused) return unpublished(refused, diagnostics);
      await inspect(compiler, [compilerChange(write)]);
      return done;
    }
    const after = "put" in write ? commit.put[0] : undefined;
    const history = this.history.prepare(revision, [{ origin, kind, id, before, after }]);
    const published = await this.#publish(next, secrets, { ...commit, revision, history }, compiler);
    if (!published.ok) return unpublished(published, diagnostics);
    void this.#queue.run(() => this.#parts.publication.removeOldFiles());
    return done;
  }

  /** Publishes and commits atomically; the compiler receives the outcome also if this throws. */
  async #publish(
    delta: Delta,
    secrets: Secrets,
    commit: Omit<StoreCommit, "generation">,
    pending: PendingCompile,
    reloaded?: Settings,
  ): Promise<Published> {
    const unstored = storeFullReason(this.#parts.store, { ...commit, generation: 0 });
    if (unstored !== undefined) {
      await pending.discard();
      return { ok: false, store: unstored };
    }
    const store = (generation: number) => this.#parts.store.commit({ ...commit, generation });
    const published = await this.#parts.publication
      .publish(delta, secrets, store, reloaded?.tlsPolicy)
      .catch(async (error: unknown) => {
        await pending.discard();
        throw error;
      });
    if (!published.ok) {
      await pending.discard();
      return published;
    }
    await pending.commit();
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

  /** Changes nothing if the source does not compile. The same commit removes stored copies of `adopted`. */
  apply(source: Source, { adopted = [], dryRun = false }: ApplyOptions = {}): Promise<Adopted> {
    return this.#queue.run(async () => {
      if (adopted.some(({ kind, id }) => !this.resources.get(kind, id))) return "absent";
      const parts = { resources: this.resources, compiler: this.#parts.compiler };
      const compiled = await compileSource(source, adopted, parts);
      const taken =
        "reason" in compiled
          ? notApplied(compiled.reason)
          : await this.#applyCandidate(compiled.candidate, adopted, dryRun);
      if (!dryRun) this.#parts.onWrite?.(countedReload(taken));
      return { ...taken, ...compiled.output };
    });
  }

  async #applyCandidate(
    candidate: Candidate,
    adopted: readonly Adoption[],
    dryRun: boolean,
  ): Promise<Applied> {
    const { delta, secrets = this.#parts.publication.secrets, changes, pending } = candidate;
    const read = this.#parts.settingsOf(candidate.deployment);
    if (dryRun || "fault" in read) {
      await pending.discard();
      if ("fault" in read) return notApplied(read.fault);
      const refused = await this.#parts.publication.dryRun(delta, secrets, read.settings.tlsPolicy);
      return refused ? notPublished(refused) : applied(read.settings);
    }
    const isCommitted = adopted.length === 0 && this.#parts.publication.isCommitted(delta, secrets);
    if (isCommitted) {
      await pending.commit();
      this.#keepChanges(changes);
    } else {
      const commit = this.#commitOf(adopted, candidate.written, changes);
      const published = await this.#publish(delta, secrets, commit, pending, read.settings);
      if (!published.ok) return notPublished(published);
    }
    candidate.show();
    this.#built = candidate.built ?? this.#built;
    return applied(read.settings, isCommitted ? undefined : "committed");
  }

  #commitOf(
    adopted: readonly Adoption[],
    written: readonly StaticResource[],
    changes: readonly FileChange[],
  ): Omit<StoreCommit, "generation"> {
    return commitOfFiles(this, { revision: this.#revision + 1, adopted, written, changes });
  }

  #keepChanges(changes: readonly FileChange[]): void {
    const generation = this.#parts.publication.committed?.number ?? 0;
    const commit = { ...this.#commitOf([], [], changes), generation };
    if (storeUnpublished(this.#parts.store, this.history, commit)) this.#revision = commit.revision;
  }

  #needCompiler(): CompilerThread {
    if (!this.#parts.compiler) throw new Error("a write without a compiler");
    return this.#parts.compiler;
  }

  settled(): Promise<void> {
    return this.#queue.run(async () => {});
  }
}

/** Time limit in ms for the analysis of uncached patterns while other writes wait. */
const ANALYSIS_MS = 100;

/** State for the decision on a write; no other write runs meanwhile. */
export interface WriteContext {
  resources: ResourceCatalog;
  revision: number;
}

export type Inspect = (compiler: CompilerThread, changes: readonly Change[]) => Promise<void>;

export interface ConfigurationParts {
  resources: ResourceCatalog;
  compiler: CompilerThread | null;
  publication: Publication;
  store: Store;
  history: History;
  redaction: SecretMasking;
  credentials: NamedCredentials;
  settingsOf: (deployment: unknown) => ReloadedSettings;
  onWrite?: (counted: Counted) => void;
}

export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => {});
    return result;
  }
}
