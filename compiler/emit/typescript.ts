import type { ModuleText } from "../../runtime/abi/generation.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { VERSION } from "../../runtime/abi/version.js";
import { metadataUnit, unitOf } from "../plan/unit.js";
import { pipelinesOf } from "../plan/whole.js";
import type { Target, TargetFile } from "../target.js";
import { type EmittedModule, emitMetadata, emitModule } from "./module.js";

/** A module as the artifact and `gwc build` need it; `content` is its TypeScript. */
export interface GeneratedModule extends TargetFile {
  /** Hash of the pipeline it was made from: the same pipeline needs no second emit. */
  pipeline: string;
  /** What the runtime loads. */
  text: ModuleText;
}

/** Modules for gwc's own runtime: one for each pipeline, and for the metadata of each plugin. */
export const typescript: Target<GeneratedModule> = {
  name: "TypeScript",
  // Every view of a plugin is one of this target's: there is no plan without its code.
  lacks: () => [],
  emit(plan, hashOf) {
    const pipelines = pipelinesOf(plan);
    return [
      ...pipelines.map((pipeline) => {
        const hash = hashOf(pipeline);
        return generated(unitOf(pipeline), hash, emitModule(pipeline, metaOf(pipeline, hash)));
      }),
      ...(plan.pluginMetadata ?? []).map((metadata) => {
        const hash = hashOf(metadata);
        return generated(metadataUnit(metadata), hash, emitMetadata(metadata, metaOf(metadata, hash)));
      }),
    ];
  },
};

const metaOf = ({ origin }: { origin: string }, planHash: string) => ({
  version: VERSION,
  planHash,
  source: origin,
});

function generated(
  unit: string,
  pipeline: string,
  { file, typescript, loadable }: EmittedModule,
): GeneratedModule {
  const text = { unit, file, hash: sha256(loadable), code: loadable };
  return { path: `${file}.ts`, content: typescript, pipeline, text };
}
