import type { Exchange } from "./exchange.js";
import type { Credentials } from "./log.js";
import type { SharedResource } from "./resource.js";

/** Phases in the order in which they run. */
export const PHASES = ["match", "rewrite", "access", "headerFilter", "acknowledge", "log"] as const;
export type Phase = (typeof PHASES)[number];

/** Functions that a pipeline's module may have. */
export const PIPELINE_METHODS = [...PHASES, "pathTests", "captureRequest"] as const;

/** Lower-case names of fields that pass in no interim response and in no trailer. */
export interface WithheldFields {
  readonly request?: readonly string[];
  readonly response?: readonly string[];
}

/**
 * What a generated module exports: one route's (or one global rule's) pipeline. A phase that the configuration
 * does not need is absent, so the host pays nothing for it.
 */
export interface PipelineModule {
  /** Route id or global rule id. */
  readonly id: string;
  /** What the host keeps open as long as this module is in use. */
  readonly resources?: readonly SharedResource[];
  /** What its plugins take credentials from. */
  readonly credentials?: Credentials;
  /** Fields that its header actions remove or overwrite; absent: none. */
  readonly withheld?: WithheldFields;
  /** `vars` of the route: false lets the router try the next candidate. */
  match?(x: Exchange): boolean;
  rewrite?(x: Exchange): void;
  /** May answer with `x.respond`. A promise is awaited; none is made where none is needed. */
  access?(x: Exchange): void | Promise<void>;
  /** Steps of the access phase that are due as well where a plugin has answered before them: they capture the request body. */
  captureRequest?(x: Exchange): void;
  headerFilter?(x: Exchange): void;
  /** Before the last byte of the response leaves; only modules that have something to wait for have it. */
  acknowledge?(x: Exchange): void;
  log?(x: Exchange): void;
  /**
   * Outcomes of the conditions and patterns on the path, `match` apart. The host compares them for two readings of one path;
   * requests whose path has only one never call it.
   */
  pathTests?(x: Exchange): readonly boolean[];
}
