import type { PlannedPipeline } from "./plan.js";
import type { MetadataPlan } from "./record-plan.js";

/** Returns "route:shop" or "global_rule:1". */
export function moduleId(pipeline: Pick<PlannedPipeline, "kind" | "id">): string {
  return `${pipeline.kind}:${pipeline.id}`;
}

/** Returns "plugin_metadata:syslog". */
export function metadataModuleId({ plugin }: Pick<MetadataPlan, "plugin">): string {
  return `plugin_metadata:${plugin}`;
}

/** Ids consist of letters, digits, "-", "_" and "."; "." and ".." would leave the folder. */
export function fileName(id: string): string {
  return id.replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
}
