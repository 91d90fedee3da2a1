import type {
  LoggerCall,
  LoggerPlan,
  PlannedPipeline,
  RecordField,
  RecordPart,
  Step,
} from "../../compiler/model/plan.js";
import { withoutMasked } from "./body-masks.js";
import { holds } from "./condition.js";
import { defaultRecord } from "./default-record.js";
import { fieldOf } from "./message.js";
import { originalRequest } from "./original-request.js";
import { requestBody, responseBody } from "./recorded-body.js";
import { type RedactionRules, redactionRules, shown, withoutCredentials } from "./redaction.js";
import { isSampled } from "./sample.js";
import type { CapturedBodies, LogRecord, Recorded, State } from "./state.js";
import { plainText } from "./text.js";
import { variable } from "./variables.js";

/** One call of a logger: it keeps a body, or it logs. Acknowledging changes when a record is kept, never what it says. */
export function logger(step: Step, state: State, pipeline: PlannedPipeline): void {
  const { call, when } = step.data as LoggerCall;
  if (!holds(when?.condition ?? null, state)) return;
  const resource = pipeline.resources?.find(({ plugin }) => plugin === step.plugin);
  if (resource === undefined) throw new Error(`the plan has no resource for ${step.plugin}`);
  const plan = resource.data as LoggerPlan;
  const owner = `${pipeline.kind}:${pipeline.id}:${step.plugin}`;
  const kept: CapturedBodies = state.kept.get(owner) ?? { request: false, response: false };
  if (call === "access") state.kept.set(owner, { ...kept, request: true });
  if (call === "headerFilter") state.kept.set(owner, { ...kept, response: true });
  if (call === "log" && isSampled(plan, state)) state.logs.push(entry(step.plugin, plan, kept, state));
}

/** Most bytes of a body in the records of a logger. */
function limit(plan: LoggerPlan, side: "requestBody" | "responseBody"): number {
  return (plan.settings[side] as { maxBytes: number } | undefined)?.maxBytes ?? 0;
}

function entry(plugin: string, plan: LoggerPlan, kept: CapturedBodies, state: State): LogRecord {
  const hidden = redactionRules(state, plan);
  const masked = (type: string | undefined) => (body: string) =>
    withoutCredentials(withoutMasked(body, type, plan), state, hidden);
  const ofRequest = masked(fieldOf(state.request.headers, "content-type"));
  const ofResponse = masked(fieldOf(state.response?.headers ?? [], "content-type"));
  const bodies = {
    request: kept.request ? requestBody(state, limit(plan, "requestBody"), ofRequest) : undefined,
    response: kept.response ? responseBody(state, limit(plan, "responseBody"), ofResponse) : undefined,
  };
  const { entryKey, entryFields } = plan;
  const key =
    entryFields !== undefined
      ? JSON.stringify(mended(withoutAbsent(fields(entryFields, state, hidden))))
      : entryKey === null
        ? undefined
        : entryText(entryKey, state);
  if (plan.settings["metaFormat"] === "origin")
    return { plugin, key, record: originalRequest(state, hidden, bodies.request) };
  state.bodies = { request: bodies.request?.bytes, response: bodies.response?.bytes };
  // Reference 10.2: the plugin's own format, else that of its metadata, else the default record.
  const metadata = state.metadata.find((one) => one.plugin === plugin);
  const format = plan.record ?? metadata?.record ?? null;
  const extra = plan.extra ?? metadata?.extra ?? [];
  const record =
    format === null
      ? {
          ...defaultRecord(state, hidden, bodies),
          ...(withoutAbsent(fields(extra, state, hidden)) as Recorded),
        }
      : fields(format, state, hidden);
  return { plugin, key, record: mended(withoutAbsent(record)) as Recorded };
}

/** One variable alone may be absent; a text with more in it never is. */
function entryText(text: NonNullable<LoggerPlan["entryKey"]>, state: State): string | undefined {
  const [only] = text;
  if (text.length > 1 || only === undefined || !("variable" in only)) return plainText(text, state);
  const value = variable(only.variable, state) ?? only.fallback;
  return value === undefined ? undefined : String(value);
}

function fields(list: readonly RecordField[], state: State, hidden: RedactionRules): Recorded {
  const record: Recorded = Object.create(null) as Recorded;
  for (const { name, value } of list) record[name] = part(value, state, hidden);
  return record;
}

function part(value: RecordPart, state: State, hidden: RedactionRules): unknown {
  if ("fields" in value) return fields(value.fields, state, hidden);
  if ("text" in value) return plainText(value.text, state, (name, found) => shown(name, found, hidden));
  if ("literal" in value) return value.literal;
  const found = shown(value.variable, variable(value.variable, state), hidden);
  if ("otherwise" in value) return found ?? part(value.otherwise, state, hidden);
  return found ?? value.fallback;
}

/** Fields without a value are not in a record. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutAbsent(member)]));
}

/** Records are valid UTF-8: what is none becomes U+FFFD. */
function mended(value: unknown): unknown {
  if (typeof value === "string")
    return Buffer.from(Buffer.from(value, "latin1").toString("utf8"), "utf8").toString("latin1");
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [mended(name), mended(member)] as [string, unknown]),
  );
}
