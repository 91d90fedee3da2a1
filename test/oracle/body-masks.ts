import type { LoggerPlan } from "../../compiler/model/plan.js";

const MASK = "***";
type Step = string | number | null | true;

/** docs/logging.md "Bodies": a value at a path is masked, and so is what a pattern matches; what says that it is JSON and is none, whole. */
export function withoutMasked(body: string, type: string | undefined, plan: LoggerPlan): string {
  const { paths = [] } = (plan.settings["bodyMasks"] ?? {}) as { paths?: Step[][] };
  let out = body;
  if (paths.length > 0 && (/json/i.test(type ?? "") || /^\s*[[{]/.test(body))) {
    try {
      // Bodies of cases are written as JSON.stringify writes them.
      const value: unknown = JSON.parse(body);
      for (const path of paths) mask(value, path);
      out = JSON.stringify(value);
    } catch {
      return MASK;
    }
  }
  for (const { source, flags } of plan.bodyPatterns ?? [])
    out = out.replaceAll(new RegExp(source, `${flags}g`), MASK);
  return out;
}

function mask(value: unknown, [step, ...rest]: readonly Step[]): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    if (step === true) mask(holder[key], [true, ...rest]);
    const wanted = step === true ? rest[0] : step;
    const after = step === true ? rest.slice(1) : rest;
    const isIt = wanted === null || (Array.isArray(value) ? Number(key) === wanted : key === wanted);
    if (!isIt) continue;
    if (after.length === 0) holder[key] = MASK;
    else mask(holder[key], after);
  }
}
