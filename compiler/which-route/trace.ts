import type { Credentials } from "../../runtime/abi/log.js";
import { LOGGER_DEFAULTS } from "../../runtime/abi/logger-defaults.gen.js";
import type { Trace, TraceMatch, TracePhase, TraceStep } from "../../runtime/abi/trace.js";
import { type RejectedBody, readRequestBody } from "../2-validate/request-body.js";
import type { CompiledState } from "../compilation/state.js";
import { settingsOf } from "../model/config-path.js";
import type { PlannedPipeline, Step } from "../model/plan.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionWords } from "../prose/words.js";
import { reportRedactor } from "../report/redact-report.js";
import type { RedactedTexts } from "../secrets/redacted-texts.js";
import { placeIn } from "./plugins.js";
import type { Running } from "./which-route-report.js";

interface WrittenTrace {
  count?: number;
  for_seconds?: number;
  match?: Omit<TraceMatch, "route_id"> & { route_id?: string | number };
}

export interface WantedTrace {
  count: number;
  forSeconds: number;
  match: TraceMatch;
  /** Match as responses show it, with the credentials masked by which requests are matched. */
  shown: TraceMatch;
}

/** Parts of the running configuration that no response shows. */
interface RedactionSource {
  credentials: readonly Credentials[];
  /** Called only for a text that might contain them. */
  hidden: () => RedactedTexts;
}

/** The trace settings, or the faults in the body. */
export type ReadTrace = { wanted: WantedTrace } | RejectedBody;

export function readTrace(text: string, unshown: RedactionSource): ReadTrace {
  const body = readRequestBody<WrittenTrace>("POST /gw/admin/trace", "trace.json", text);
  return "errorMessage" in body ? body : { wanted: wantedOf(body.value, unshown) };
}

function wantedOf(written: WrittenTrace, unshown: RedactionSource): WantedTrace {
  const { count = 1, for_seconds: forSeconds = 60, match: asked = {} } = written;
  const { route_id: route, host, ...others } = asked;
  const named = { ...(host !== undefined && { host: host.toLowerCase() }) };
  const match = { ...others, ...named, ...(route !== undefined && { route_id: String(route) }) };
  return { count, forSeconds, match, shown: shownOf(match, unshown) };
}

const MASK = "***";

function shownOf(match: TraceMatch, { credentials, hidden }: RedactionSource): TraceMatch {
  if (match.header === undefined) return match;
  const carrying = [LOGGER_DEFAULTS.redact, ...credentials].flatMap(({ headers }) => headers);
  const names = new Set(carrying.map((name) => name.toLowerCase()));
  const { secrets, open } = hidden();
  const told = reportRedactor(secrets, open);
  const fields = Object.entries(match.header);
  const header = fields.map(([name, value]) => [name, names.has(name.toLowerCase()) ? MASK : told(value)]);
  return { ...match, header: Object.fromEntries(header) };
}

/** Adds the locations of config paths, and redacts secrets of the configuration. */
export function redactedTrace(
  trace: Trace,
  { places, state }: Pick<Running, "places" | "state">,
  { secrets, open }: RedactedTexts,
): Trace {
  const placed = (step: TraceStep): TraceStep => ({ ...step, place: placeIn(places, step.address) });
  const phases = trace.phases.map((phase) => ({ ...phase, steps: withConditions(phase, state).map(placed) }));
  return reportRedactor(secrets, open)({ ...trace, phases });
}

/** Includes the steps that a condition skipped. */
function withConditions(phase: TracePhase, state: Pick<CompiledState, "routes" | "rules">): TraceStep[] {
  const planned = (pipelineOf(phase.owner, state)?.steps ?? []).filter((step) => step.phase === phase.phase);
  const steps = phase.steps.map((step) => {
    const its = planned.filter(({ origin }) => settingsOf(origin) === step.address);
    return { ...step, condition: wordsOf(its) };
  });
  let at = 0;
  for (const step of planned) {
    const address = settingsOf(step.origin);
    const found = steps.findIndex((one) => one.address === address);
    // Steps behind a local reply never run.
    if (found >= 0 && steps[found]?.changes.some(({ what }) => what === "answer")) break;
    const words = found >= 0 ? null : wordsOf([step]);
    if (found >= 0) at = found + 1;
    if (words === null) continue;
    steps.splice(at, 0, {
      plugin: step.plugin,
      address,
      place: address,
      us: 0,
      condition: words,
      changes: [],
    });
    at += 1;
  }
  return steps;
}

function pipelineOf(
  owner: string,
  { routes, rules }: Pick<CompiledState, "routes" | "rules">,
): PlannedPipeline | null | undefined {
  const id = owner.slice(owner.indexOf("/") + 1);
  return owner.startsWith("routes/") ? routes.get(id)?.pipeline : rules.get(id);
}

function wordsOf(steps: readonly Step[]): string | null {
  const conditions = steps.flatMap((step) => {
    const guard = findPlugin(step.plugin)?.guard?.(step)?.condition;
    return [step.filter ?? [], guard ?? []].flat();
  });
  const words = conditions.filter(({ kind }) => kind !== "always").map(conditionWords);
  return words.length === 0 ? null : [...new Set(words)].join("; ");
}
