import type { SubjectSizes } from "./pattern-subject.js";

export interface PlanSettings {
  readonly sizes: SubjectSizes;
  /** Port of the first listener of `gw.ssl.listen`; absent without one, or if known only at run time. */
  readonly securePort?: number | undefined;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `<section>.listen` by section; {} if a section does not set it. */
  readonly serviceListeners: Readonly<Record<string, ListenerInput>>;
}

/** A value that is known only at run time is a text with `${{VAR}}`. */
export interface ListenerInput {
  readonly ip?: string;
  readonly port?: number | string;
}
