import type { Exchange, PluginMetadataModule, RecordMaker } from "./exchange.js";
import type { Credentials } from "./log.js";
import type { SharedResource } from "./resource.js";

export const PHASES = ["match", "rewrite", "access", "headerFilter", "acknowledge", "log"] as const;
export type Phase = (typeof PHASES)[number];

/** Functions that a pipeline's module may have. */
export const PIPELINE_METHODS = [...PHASES, "pathTests", "captureRequest"] as const;

/** Lower-case names of headers that no interim response and no trailer may contain. */
export interface WithheldFields {
  readonly request?: readonly string[];
  readonly response?: readonly string[];
}

/**
 * Pipeline of one route or one global rule. A phase that the configuration does not need is absent, so that
 * it costs the host nothing.
 */
export interface PipelineModule {
  readonly id: string;
  /** Resources that the host keeps open while this module is in use. */
  readonly resources?: readonly SharedResource[];
  /** Places where its plugins read credentials; an absent list is empty. */
  readonly credentials?: Partial<Credentials>;
  /** Headers that its header actions remove or overwrite; absent: none. */
  readonly withheld?: WithheldFields;
  /** Tests `vars` of the route: false lets the router try the next candidate. */
  match?(x: Exchange): boolean;
  rewrite?(x: Exchange): void;
  /** May reply with `x.respond`. A returned promise is awaited; there is one only if it is needed. */
  access?(x: Exchange): void | Promise<void>;
  /** Access steps that capture the request body: they run also after the reply of an earlier plugin. */
  captureRequest?(x: Exchange): void;
  headerFilter?(x: Exchange): void;
  /** Runs before the last byte of the response leaves; absent unless the module has to wait. */
  acknowledge?(x: Exchange): void;
  log?(x: Exchange): void;
  /**
   * Outcomes of conditions and patterns on the path, except `match`. The host compares them for two readings
   * of one path; requests whose path has only one never call it.
   */
  pathTests?(x: Exchange): readonly boolean[];
}

/** Types a module's phases from context, so that generated code needs no types. */
export function defineRoute(module: PipelineModule): PipelineModule {
  return module;
}

export function defineGlobalRule(module: PipelineModule): PipelineModule {
  return module;
}

type SparseMetadata = Omit<PluginMetadataModule, "settings"> & Partial<PluginMetadataModule>;

/** Adds `settings` to metadata that has only record formats. */
export function definePluginMetadata(module: SparseMetadata): PluginMetadataModule {
  return { settings: {}, ...module };
}

export function defineRecord(record: RecordMaker): RecordMaker {
  return record;
}
