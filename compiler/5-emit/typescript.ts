import type { ModuleCode } from "../../runtime/abi/generation.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { loadableOf } from "../../runtime/abi/loadable.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { EmitTarget, ModuleMarks, TargetFile } from "../model/emit-target.js";
import { metadataModuleId, moduleId, type PlannedPipeline, pipelinesOf } from "../model/plan.js";
import { type EmittedModule, emitMetadata, emitModule, moduleFile } from "./module.js";

/** Module for the artifact and for `gwc build`; `content` is its TypeScript. */
export interface GeneratedModule extends TargetFile {
  /** Hash of the pipeline it was generated from: the same pipeline is not emitted again. */
  pipeline: string;
  /** Code that the runtime loads. */
  text: ModuleCode;
  /** Config paths of its code; see `readStatementPaths`. */
  paths: string;
  /** Hashes of both texts, if an earlier compile knows them. */
  marks?: ModuleMarks;
}

/** Thrown if a cached hash differs from the module that this compile generates. */
export class StaleCacheError extends Error {}

/** Modules for gwc's own runtime: one for each pipeline and for the metadata of each plugin. */
export const typescript: EmitTarget<GeneratedModule> = {
  name: "TypeScript",
  // Every view of a plugin belongs to this target, so it can print every plan.
  lacks: () => [],
  emit(plan, hashOf, marksOf) {
    const pipelines = pipelinesOf(plan);
    return [
      ...pipelines.map((pipeline) => {
        const hash = hashOf(pipeline);
        const marks = marksOf?.(pipeline);
        return marks === undefined
          ? generated(moduleId(pipeline), hash, emitModule(pipeline, metaOf(pipeline, hash)))
          : emittedLater(pipeline, hash, marks);
      }),
      ...(plan.pluginMetadata ?? []).map((metadata) => {
        const hash = hashOf(metadata);
        return generated(metadataModuleId(metadata), hash, emitMetadata(metadata, metaOf(metadata, hash)));
      }),
    ];
  },
};

const metaOf = ({ origin }: { origin: string }, planHash: string) => ({
  version: VERSION,
  planHash,
  source: origin,
});

/** Module whose texts are generated on access. @throws StaleCacheError from its getters */
function emittedLater(pipeline: PlannedPipeline, hash: string, marks: ModuleMarks): GeneratedModule {
  const file = moduleFile(pipeline);
  let emitted: { typescript: string; loadable: string; paths: string } | undefined;
  const made = () => {
    if (emitted !== undefined) return emitted;
    const { typescript, paths } = emitModule(pipeline, metaOf(pipeline, hash));
    const loadable = loadableOf(typescript);
    if (sha256(typescript) !== marks.typescript.hash || sha256(loadable) !== marks.loadable)
      throw new StaleCacheError(`${file} is another module`);
    emitted = { typescript, loadable, paths };
    return emitted;
  };
  const text: ModuleCode = {
    ...{ moduleId: moduleId(pipeline), file, hash: marks.loadable },
    get code() {
      return made().loadable;
    },
  };
  return {
    ...{ path: `${file}.ts`, pipeline: hash, text, marks },
    get content() {
      return made().typescript;
    },
    get paths() {
      return made().paths;
    },
  };
}

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
