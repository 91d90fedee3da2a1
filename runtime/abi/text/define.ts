import type { PluginMetadataModule, RecordMaker } from "../exchange.js";
import type { PipelineModule } from "../route-module.js";

/** Gives the phases of a route's module their types from context, so that generated code needs none. */
export function defineRoute(module: PipelineModule): PipelineModule {
  return module;
}

/** Does the same for a global rule. */
export function defineGlobalRule(module: PipelineModule): PipelineModule {
  return module;
}

/** Does the same for the metadata of a plugin. */
export function definePluginMetadata(module: PluginMetadataModule): PluginMetadataModule {
  return module;
}

/** Does the same for a format that several loggers of a module share. */
export function defineRecord(record: RecordMaker): RecordMaker {
  return record;
}
