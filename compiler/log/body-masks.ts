import { MASKED_BODY } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { parseJsonPath } from "../1-parse/json-path.js";
import { planRegex } from "../4-plan/plan-regex.js";
import type { Regex } from "../model/plan.js";
import type { Json, JsonObject } from "../model/record-plan.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import type { LoggerSettings } from "./settings.js";

const WINDOW = MASKED_BODY.before + MASKED_BODY.slice + MASKED_BODY.behind;

/** Planned masks; `settings` are those of the runtime. */
export interface PlannedBodyMasks {
  settings: JsonObject;
  patterns: Regex[];
}

/** @returns undefined if bodies are masked only for credentials */
export function planBodyMasks(
  { value, spans }: PluginSettings<LoggerSettings>,
  context: PlanContext,
): PlannedBodyMasks | undefined {
  const { json_paths: paths = [], patterns = [] } = value.redact.body ?? {};
  if (paths.length + patterns.length === 0) return undefined;
  // The time of a pattern is bounded by the largest body in records.
  const longest = Math.max(
    value.include_req_body ? value.max_req_body_bytes : 0,
    value.include_resp_body ? value.max_resp_body_bytes : 0,
  );
  const bytes = Math.min(longest, MASKED_BODY.longest);
  const subject = { name: "a captured body", bytes, atOnce: Math.min(bytes, WINDOW) };
  const planned = patterns.flatMap((pattern, i) => {
    const span = spans.value(["redact", "body", "patterns", i]);
    const { budget } = context.patterns;
    const input = { pattern, options: "", scope: "global", captures: [], subject, budget, span } as const;
    return planRegex(input, context.report)?.regex ?? [];
  });
  const steps = paths.map((path): Json => {
    const parsed = parseJsonPath(path);
    // The schema has rejected invalid paths.
    return typeof parsed === "string"
      ? []
      : parsed.map((step) => (typeof step === "string" ? utf8(step) : step));
  });
  return { settings: { bodyMasks: { paths: steps } }, patterns: planned };
}
