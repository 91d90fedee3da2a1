import type { ListenerInput, PlanSettings } from "../model/plan-settings.js";
import { DEFAULT_SIZES, MIN_SIZES, subjectSizes } from "../variables/subject.js";

/** Settings of a deployment that sets none. */
export const DEFAULT_SETTINGS: PlanSettings = { sizes: DEFAULT_SIZES, attributes: {}, serviceListeners: {} };

/**
 * @param isSettled false if an error hides other settings, so that diagnostics must hold for any settings.
 * Default: true
 */
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
