import { DEFAULT_LIMITS, type Limits } from "./limits.js";

/** Limits as `gw.limits` writes them (schema/deployment.json): snake case, times in seconds; the rest keep their defaults. */
export function limitsFrom(settings: Readonly<Record<string, unknown>>): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(settings)) {
    const field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (typeof value !== "number" || !Object.hasOwn(DEFAULT_LIMITS, field)) continue;
    limits[field] = field.endsWith("Timeout") ? value * 1000 : value;
  }
  return limits as unknown as Limits;
}
