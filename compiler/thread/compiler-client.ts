import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { Comparisons } from "../diff/comparisons.js";
import type { Drafted } from "../diff/drafted.js";
import type { EffectReply } from "../diff/effect-thread.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Change, StoredResource } from "../model/input.js";
import type { ResourceName } from "../model/resource.js";
import { policyHash } from "../policy/policy-file.js";
import { RegexTester } from "../regex-tester/regex-tester.js";
import { CommittedState } from "./committed-state.js";
import type { CompiledChange, LoadedFiles, PackageLoadResult, ReloadedFiles } from "./compiler-rpc.js";
import { Documents } from "./documents.js";
import { type Forwarded, forwarded } from "./forwarded.js";
import { type CompiledTexts, compiledTexts, inputsHash } from "./inputs-hash.js";
import type { PatternAnalysisJob } from "./pattern-analysis.js";
import { PatternAnalysisQueue } from "./pattern-analysis-queue.js";
import { ThreadLine } from "./thread-line.js";
import type { ValidatedDocument } from "./validate-document.js";

export interface CompilerOptions {
  /** Base of paths and of names in diagnostics. Default: the working directory. */
  directory?: string;
  /** Called when the thread has died. Pending calls were rejected; the next call starts another thread. */
  onEnd?(reason: string): void;
  secretKey?: string;
  policy?: string | undefined;
  /** File: URLs of modules that register the available plugins. */
  plugins: readonly string[];
  /** File: URL of the module that exports `Simulators`. */
  trials: string;
}

/** A compiler in the process of the workers gives no digests. */
export type CompiledWhole = LoadedFiles & Pick<PackageLoadResult, "bundles"> & Partial<CompiledTexts>;
export type CompiledReload = ReloadedFiles & Partial<CompiledTexts>;

export interface PendingCompile {
  /** Makes the last change the base of the next one. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** It accepts one change at a time: `write` or `reload`, then `commit` or `discard`. */
export interface CompilerThread extends Forwarded, PendingCompile {
  /** @param built resources of the running build, in place of files */
  load(
    paths: readonly string[],
    stored: readonly StoredResource[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledWhole>;
  /** `inputsHash` of the files that `load` would read now; undefined if they are unreadable. */
  inputs(paths: readonly string[], stored: readonly StoredResource[]): string | undefined;
  /** `policyHash` of the policy file as it is now; undefined without one or if it is unreadable. */
  policy(): string | undefined;
  /** @param analysisMs time limit for patterns not in the cache; beyond it the result has `heavy` */
  write(changes: readonly Change[], analysisMs?: number): Promise<CompiledChange>;
  /**
   * Analyses the patterns of a write in another thread, so that the write itself is fast.
   * @returns a diagnostic if the analysis exceeds its time limit
   */
  analyse(work: PatternAnalysisJob): Promise<Diagnostic | undefined>;
  /** Runs in parallel to writes. @returns the reason if it fails */
  compare(drafted: Drafted): Promise<EffectReply>;
  reload(
    paths: readonly string[],
    without?: readonly ResourceName[],
    built?: readonly BuiltResource[],
  ): Promise<CompiledReload>;
  /** Serves `POST /gw/admin/regex` in its own thread. @returns an error in the query, or why there is no result */
  testRegex(text: string): ReturnType<RegexTester["answer"]>;
  validateDocument(text: string, format: "json" | "yaml"): Promise<ValidatedDocument>;
  close(): Promise<void>;
}

/** If the thread dies, a new one starts and receives the committed state. */
export function startCompiler(options: CompilerOptions): CompilerThread {
  const { secretKey, plugins, trials: trialModule } = options;
  const line = new ThreadLine(options.onEnd, { secretKey, plugins });
  const analyses = new PatternAnalysisQueue(plugins);
  const documents = documentsOf(line, plugins);
  const comparisons = new Comparisons({ plugins, trials: trialModule });
  const trials = new RegexTester();
  const memory = new CommittedState(options.directory ?? process.cwd(), options.policy);
  line.onReplace = () => memory.replay(line);
  return {
    ...forwarded((name, given) => line.call(name, given as never)),
    async load(paths, stored, built) {
      const files = memory.read(paths, built);
      const { packages, bundles } = await line.call("begin", [files]);
      for (const other of [analyses, documents, comparisons]) other.packages = packages;
      const loading = line.call("load", [files, [...stored]]);
      const texts = compiledTexts(files, stored);
      const loaded = await loading;
      memory.loaded(files, stored, packages);
      return { ...loaded, bundles, ...texts };
    },
    inputs: (paths, stored) => inputsHash(memory.read(paths), stored),
    policy: () => policyHash(memory.read([]).policy),
    ...changesOf(line, memory),
    async analyse(work) {
      const notes = await analyses.run(work);
      if (!Array.isArray(notes)) return notes;
      await line.call("remember", [notes]);
      return undefined;
    },
    compare: (drafted) => comparisons.run(drafted),
    testRegex: (text) => trials.answer(() => line.call("readRegex", [text])),
    validateDocument: (text, format) => documents.validate({ text, format }),
    async close() {
      trials.close();
      comparisons.close();
      await Promise.all([analyses.close(), documents.close(), line.close()]);
    },
  };
}

const changesOf = (
  line: ThreadLine,
  memory: CommittedState,
): Pick<CompilerThread, "write" | "reload" | keyof PendingCompile> => ({
  async write(changes, analysisMs) {
    const written = await line.call("write", [changes, analysisMs]);
    memory.offered({ changes, absent: written.absent }, written.delta !== undefined);
    return written;
  },
  async reload(paths, without = [], built) {
    const files = memory.read(paths, built);
    const reloading = line.call("reload", [files, without]);
    // Hashed while the thread compiles: 12 ms for 10 MB.
    const texts = compiledTexts(files, memory.storedBut(without));
    const reloaded = await reloading;
    memory.offered({ files, without }, reloaded.delta !== undefined);
    return { ...reloaded, ...texts };
  },
  async commit() {
    memory.commit();
    await line.call("commit", []);
  },
  async discard() {
    memory.discard();
    await line.call("discard", []);
  },
});

const documentsOf = (line: ThreadLine, plugins: readonly string[]) =>
  new Documents(
    ({ text, format }, analysisMs) => line.call("validateDocument", [text, format, analysisMs]),
    new PatternAnalysisQueue(plugins),
  );
