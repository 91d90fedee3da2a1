import type { PluginMetadataModule, RecordMaker } from "../exchange.js";
import type { PipelineModule } from "../route-module.js";

/** Types a module's phases from context, so that generated code needs no types. */
export function defineRoute(module: PipelineModule): PipelineModule {
  return module;
}

export function defineGlobalRule(module: PipelineModule): PipelineModule {
  return module;
}

export function definePluginMetadata(module: PluginMetadataModule): PluginMetadataModule {
  return module;
}

export function defineRecord(record: RecordMaker): RecordMaker {
  return record;
}
