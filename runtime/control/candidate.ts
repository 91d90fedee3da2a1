import type {
  CompiledReload,
  CompiledWhole,
  CompilerThread,
  PendingCompile,
} from "../../compiler/thread/compiler-client.js";
import { deltaTo } from "../abi/delta.js";
import type { Delta } from "../abi/generation.js";
import type { Secrets } from "../process/messages.js";
import { type BuiltLists, compileOverlay, isAmong, NONE_PENDING } from "./build-overlay.js";
import { mergeArtifacts } from "./delta.js";
import type { GenerationStore } from "./generation-store.js";
import { type FileChange, fileChanges } from "./history/file-changes.js";
import type { Build } from "./launch-settings.js";
import { type Adoption, type ReloadOutput, undefinedIn } from "./reloaded.js";
import { builtNames, ofBuild, type ResourceCatalog, type StaticResource } from "./resource-catalog.js";

export type Source =
  | { kind: "files"; paths: readonly string[] }
  /** Files while the last known good generation (`saved`) runs, which the compiler does not know. */
  | { kind: "files"; paths: readonly string[]; saved: GenerationStore }
  | { kind: "dist"; build: Build; saved: GenerationStore };

export interface Candidate {
  delta: Delta;
  /** Values of literal secrets; undefined to keep the current ones. */
  secrets: Secrets | undefined;
  deployment: unknown;
  /** Resources that it defines, at least the adopted ones. */
  written: readonly StaticResource[];
  changes: readonly FileChange[];
  /** Lists of a build, which overlay deltas join. */
  built?: BuiltLists;
  pending: PendingCompile;
  /** Replaces the resources that the admin API shows as those of files or build. */
  show(): void;
}

export type CompiledSource = { output: ReloadOutput } & ({ candidate: Candidate } | { reason: string });

interface Parts {
  resources: ResourceCatalog;
  /** Null if it is not installed: only a build can run then. */
  compiler: CompilerThread | null;
}

export function compileSource(
  source: Source,
  adopted: readonly Adoption[],
  { resources, compiler }: Parts,
): Promise<CompiledSource> {
  if (source.kind === "dist") return compileBuild(source, adopted, { resources, compiler });
  if (!compiler) throw new Error("a reload without a compiler");
  return "saved" in source
    ? compileAll(source, adopted, { resources, compiler })
    : compileChanges(source.paths, adopted, { resources, compiler });
}

async function compileChanges(
  paths: readonly string[],
  adopted: readonly Adoption[],
  { resources, compiler }: Parts & { compiler: CompilerThread },
): Promise<CompiledSource> {
  const compiled = await compiler.reload(paths, adopted);
  const { delta, statics } = compiled;
  const output = outputOf(compiled);
  if (!delta) return { output, reason: compiled.errorMessage };
  const lacking = undefinedIn(statics, adopted);
  if (lacking !== undefined) {
    await compiler.discard();
    return { output, reason: lacking };
  }
  const changes = fileChanges(resources, statics);
  return { output, candidate: { ...ofFiles(compiled, resources), delta, changes, pending: compiler } };
}

/** Loads files and store, since the compiler does not know the running generation. */
async function compileAll(
  { paths, saved }: { paths: readonly string[]; saved: GenerationStore },
  adopted: readonly Adoption[],
  { resources, compiler }: Parts & { compiler: CompilerThread },
): Promise<CompiledSource> {
  const stored = resources.allStored().filter((resource) => !isAmong(adopted, resource));
  const compiled = await compiler.load(
    paths,
    stored.map(({ kind, id, value }) => ({ kind, id, value })),
  );
  const { artifact, statics } = compiled;
  const output = outputOf(compiled);
  if (!artifact) return { output, reason: compiled.report };
  const lacking = undefinedIn(statics, adopted);
  if (lacking !== undefined) return { output, reason: lacking };
  const delta = deltaTo(saved.content, artifact);
  // The files behind the last known good generation are unknown, so every resource would appear as created.
  const candidate = { ...ofFiles(compiled, resources), delta, changes: [], pending: NONE_PENDING };
  return { output, candidate };
}

async function compileBuild(
  { build, saved }: { build: Build; saved: GenerationStore },
  adopted: readonly Adoption[],
  { resources, compiler }: Parts,
): Promise<CompiledSource> {
  const overlay = await compileOverlay(build, adopted, resources.allStored(), compiler);
  const { reason, artifact, secrets, pending } = overlay;
  const output = outputOf(overlay);
  if (reason !== undefined) return { output, reason };
  return {
    output,
    candidate: {
      ...{ delta: deltaTo(saved.content, mergeArtifacts(build.artifact, artifact)), secrets, pending },
      ...{ deployment: build.deployment, written: build.resources, built: build.artifact },
      changes: fileChanges(resources, ofBuild(build)),
      show() {
        resources.setBuilt(builtNames(build.artifact));
        resources.setStatic(() => build.resources);
      },
    },
  };
}

const ofFiles = (compiled: CompiledReload | CompiledWhole, resources: ResourceCatalog) => ({
  ...{ secrets: Object.fromEntries(compiled.secrets), deployment: compiled.deployment },
  ...{ written: compiled.statics.put, show: () => resources.changeStatic(compiled.statics) },
});

const outputOf = ({ report, diagnostics, inputs, policy }: ReloadOutput): ReloadOutput => ({
  ...{ report, diagnostics, inputs, policy },
});
