import type { ModuleText } from "../../runtime/abi/generation.js";
import { sha256 } from "../../runtime/abi/sha256.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { MetadataPlan } from "../log/plan.js";
import type { PlannedPipeline } from "../plan/plan.js";
import { emitMetadata, emitModule } from "./module.js";

/** A module as the artifact and `gwc build` need it. */
export interface GeneratedModule {
  /** Hash of the pipeline it was made from: the same pipeline needs no second emit. */
  pipeline: string;
  text: ModuleText;
  typescript: string;
}

/** Name of a pipeline's module: "route:shop" or "global_rule:1". */
export function unitOf(pipeline: Pick<PlannedPipeline, "kind" | "id">): string {
  return `${pipeline.kind}:${pipeline.id}`;
}

/** Step 5 for one pipeline. @param hash its `pipelineHash` */
export function generate(pipeline: PlannedPipeline, hash: string): GeneratedModule {
  const meta = { version: VERSION, planHash: hash, source: pipeline.origin };
  const { file, typescript, loadable } = emitModule(pipeline, meta);
  const text = { unit: unitOf(pipeline), file, hash: sha256(loadable), code: loadable };
  return { pipeline: hash, text, typescript };
}

/** The same for the metadata of a plugin, whose unit is "plugin_metadata:<plugin>". @param hash its `metadataHash` */
export function generateMetadata(plan: MetadataPlan, hash: string): GeneratedModule {
  const { file, typescript, loadable } = emitMetadata(plan, {
    version: VERSION,
    planHash: hash,
    source: plan.origin,
  });
  const text = { unit: `plugin_metadata:${plan.plugin}`, file, hash: sha256(loadable), code: loadable };
  return { pipeline: hash, text, typescript };
}
