import type { ModuleCode } from "../../runtime/abi/generation.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { loadableOf } from "../../runtime/abi/loadable.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { EmitTarget, TargetFile } from "../model/emit-target.js";
import { metadataModuleId, moduleId, type PlannedPipeline, pipelinesOf } from "../model/plan.js";
import { type EmittedModule, emitMetadata, emitModule } from "./module.js";

/** Module for the artifact and for `gwc build`; `content` is its TypeScript. */
export interface GeneratedModule extends TargetFile {
  /** Hash of the pipeline it was generated from: the same pipeline is not emitted again. */
  pipeline: string;
  /** Code that the runtime loads. */
  text: ModuleCode;
  /** Config paths of its code; see `readStatementPaths`. */
  paths: string;
}

/** Modules for gwc's own runtime: one for each pipeline and for the metadata of each plugin. */
export const typescript: EmitTarget<GeneratedModule> = {
  name: "TypeScript",
  // Every view of a plugin belongs to this target, so it can print every plan.
  lacks: () => [],
  emit: (plan, hashOf) => [
    ...pipelinesOf(plan).map((pipeline) => {
      const hash = hashOf(pipeline);
      return generated(moduleId(pipeline), hash, emitModule(pipeline, metaOf(pipeline, hash)));
    }),
    ...(plan.pluginMetadata ?? []).map((metadata) => {
      const hash = hashOf(metadata);
      return generated(metadataModuleId(metadata), hash, emitMetadata(metadata, metaOf(metadata, hash)));
    }),
  ],
};

const metaOf = ({ origin }: { origin: string }, planHash: string) => ({
  version: VERSION,
  planHash,
  source: origin,
});

/** Module of a pipeline that belongs to no plan: one part of another pipeline, examined alone. */
export function loadedAlone(pipeline: PlannedPipeline, moduleId: string): ModuleCode {
  const { file, typescript } = emitModule(pipeline, metaOf(pipeline, ""));
  const code = loadableOf(typescript);
  return { moduleId, file, hash: sha256(code), code };
}

function generated(
  moduleId: string,
  pipeline: string,
  { file, typescript, paths }: EmittedModule,
): GeneratedModule {
  const loadable = loadableOf(typescript);
  const text = { moduleId, file, hash: sha256(loadable), code: loadable };
  return { path: `${file}.ts`, content: typescript, paths, pipeline, text };
}
