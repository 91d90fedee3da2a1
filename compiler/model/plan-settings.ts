import type { SubjectSizes } from "./pattern-subject.js";

/** Settings of a deployment that the plan of a route depends on. */
export interface PlanSettings {
  readonly sizes: SubjectSizes;
  /** First listener of `gw.ssl.listen`; absent without one, or if its port is known only at run time. */
  readonly securePort?: number | undefined;
  /** `plugin_attr` by plugin. */
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `<section>.listen` by section; {} if a section does not set it. */
  readonly serviceListeners: Readonly<Record<string, ListenerInput>>;
}

/** A value that is known only at run time is a text with `${{VAR}}`. */
export interface ListenerInput {
  readonly ip?: string;
  readonly port?: number | string;
}
