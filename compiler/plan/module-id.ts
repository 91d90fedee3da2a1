import type { MetadataPlan } from "../log/plan.js";
import type { PlannedPipeline } from "./plan.js";

/** Name of what a pipeline becomes: "route:shop" or "global_rule:1". */
export function moduleId(pipeline: Pick<PlannedPipeline, "kind" | "id">): string {
  return `${pipeline.kind}:${pipeline.id}`;
}

/** The same for the metadata of a plugin: "plugin_metadata:syslog". */
export function metadataModuleId({ plugin }: Pick<MetadataPlan, "plugin">): string {
  return `plugin_metadata:${plugin}`;
}

/** Ids are letters, digits, "-", "_" and "."; "." and ".." would leave the folder. */
export function fileName(id: string): string {
  return id.replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
}
