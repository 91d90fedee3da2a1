import type { Text } from "../model/plan.js";
import type { JsonObject } from "../model/record-plan.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import { parseText } from "../variables/text.js";
import { reportAtReference } from "../variables/text-place.js";
import type { LoggerSettings, Sample } from "./schema.gen.js";

/** Planned sample; `settings` are those of the runtime. */
export interface PlannedSample {
  settings: { sample: JsonObject };
  /** Null for a random choice. */
  key: Text | null;
}

/** @returns undefined if every request is logged, so that the module contains none of it */
export function planSample(
  { value, spans }: PluginSettings<LoggerSettings>,
  context: PlanContext,
): PlannedSample | undefined {
  if (value.sample === undefined || value.sample === 1) return undefined;
  const { rate, key, always_errors: errors = true, always_slower_than_ms: slower } = inFull(value.sample);
  const rules = { now: "log", place: "the key of a sample", captures: undefined } as const;
  const report = reportAtReference(key ?? "", 0, spans.value(["sample", "key"]), context.report);
  return {
    settings: { sample: { rate, errors, ...(slower !== undefined && { slowerThanMs: slower }) } },
    key: key === undefined ? null : parseText(key, rules, report),
  };
}

/** A plain number is the rate. */
function inFull(sample: Sample): Partial<Exclude<Sample, number>> & { rate: number } {
  return typeof sample === "number" ? { rate: sample } : sample;
}

/** Returns "of 1 % of the requests, and of each error". */
export function sampleInWords({ rate, errors, slowerThanMs }: JsonObject): string {
  const always = [
    ...(errors === true ? ["each error"] : []),
    ...(slowerThanMs === undefined ? [] : [`each request above ${String(slowerThanMs)} ms`]),
  ];
  const share = `of ${Number((Number(rate) * 100).toPrecision(6))} % of the requests`;
  return [share, ...always].join(", and of ");
}
