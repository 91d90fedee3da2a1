import { DEFAULT_SIZES, MIN_SIZES, type SubjectSizes, subjectSizes } from "./subject.js";

/** What a deployment says that the plan of a route depends on. */
export interface PlanSettings {
  /** Of the patterns' subjects. */
  readonly sizes: SubjectSizes;
  /** Port of the first listener of `gw.ssl.listen`; absent without one, or where it is only known at run time. */
  readonly securePort?: number | undefined;
  /** `plugin_attr` by plugin. */
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** `<section>.listen` of the sections of plugins that are there, by section; {} where one says nothing of it. */
  readonly serviceListeners: Readonly<Record<string, ListenerInput>>;
}

/** A listener as it is written: what is only known at run time is a text with `${{VAR}}`. */
export interface ListenerInput {
  readonly ip?: string;
  readonly port?: number | string;
}

/** Those of a deployment that says nothing. */
export const DEFAULT_SETTINGS: PlanSettings = { sizes: DEFAULT_SIZES, attributes: {}, serviceListeners: {} };

/** @param isSettled false: an error hides other settings, and a finding has to hold whatever they are. Default: true */
export function planSettings(
  deployment: Readonly<Record<string, unknown>> | null,
  isSettled = true,
): PlanSettings {
  const {
    gw,
    plugin_attr: attributes = {},
    deployment: _,
    ...sections
  } = (deployment ?? {}) as {
    gw?: { ssl?: { listen?: readonly unknown[] } };
    plugin_attr?: PlanSettings["attributes"];
    deployment?: unknown;
  };
  const sizes = subjectSizes(deployment, isSettled ? DEFAULT_SIZES : MIN_SIZES);
  return {
    ...{ sizes, securePort: portOf(gw?.ssl?.listen?.[0]), attributes },
    serviceListeners: Object.fromEntries(
      Object.entries(sections).map(([name, section]) => [name, listenOf(section)]),
    ),
  };
}

const listenOf = (section: unknown): ListenerInput =>
  ((section ?? {}) as { listen?: ListenerInput }).listen ?? {};

function portOf(listener: unknown): number | undefined {
  if (typeof listener === "number") return listener;
  const { port } = (listener ?? {}) as { port?: unknown };
  return typeof port === "number" ? port : undefined;
}
