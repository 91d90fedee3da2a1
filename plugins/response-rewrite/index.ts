import {
  bodySubject,
  byteString,
  type Condition,
  type ConfigPath,
  delayText,
  diagnostic,
  type FilterRule,
  flowText,
  type HeaderAction,
  headerWords,
  isKnown,
  MAX_SYNC_BYTES,
  type PlanContext,
  type PlannedStep,
  type PluginDefinition,
  type PluginSettings,
  planBodyFilters,
  planCondition,
  planHeaderActions,
  quoted,
  readHeaders,
  type TypedStep,
  textWords,
} from "../../compiler/plugin-api.js";
import { reportFalseFields } from "./fields.js";
import type { ResponseRewrite } from "./schema.gen.js";
import type { ResponseRewriteData } from "./view.js";
import { responseRewriteView } from "./view.js";

type Settled = PluginSettings<ResponseRewrite>;

/** The access phase only needs the conditions. */
type StepData = ResponseRewriteData | Pick<ResponseRewriteData, "vars" | "varsOrigin">;

export const responseRewrite: PluginDefinition<ResponseRewrite, StepData> = {
  name: "response-rewrite",
  priority: 899,
  moduleUrl: import.meta.url,
  phases: ["access", "headerFilter"],
  headerActions: "headers",
  canRespond: true,
  plan(settings, context) {
    const { value } = settings;
    reportIdle(settings, context);
    if (value.status_code !== undefined) context.setsStatus(value.status_code, ["status_code"]);
    const data: ResponseRewriteData = {
      vars: planVars(settings, context),
      varsOrigin: value.vars === undefined ? null : context.origin(["vars"]),
      status: value.status_code ?? null,
      body: planBody(value),
      ...planFilters(settings, context),
      maxBytes: settings.written.max_resp_body_size ?? null,
      oversize: value.on_oversize,
      headers: planHeaders(settings, context),
    };
    const origin = context.origin([]);
    return [...requestFullBody(data, origin), { phase: "headerFilter", origin, data }];
  },
  guard(step) {
    const { vars, varsOrigin } = step.data;
    return vars === null
      ? null
      : { condition: vars, field: "response-rewrite.vars", origin: varsOrigin ?? step.origin };
  },
  describe({ data }, _kept, isProxied = true) {
    if ("filters" in data) return described(data);
    return isProxied ? ["asks the upstream for the whole body"] : [];
  },
  decisions: (step) =>
    filtersOf(step).map(({ flow, regex, origin }, i) => ({
      field: `filters[${i}]`,
      origin,
      text: `${flowText(flow)}; ${delayText(flow)}; ${regex.cost}`,
    })),
  view: ({ data }, printer) => ("filters" in data ? responseRewriteView(data, printer) : {}),
};

function described({ status, body, filters, headers }: ResponseRewriteData): string[] {
  return [
    ...(status === null ? [] : [`sets the status to ${status}`]),
    ...(body === null ? [] : [`replaces the body by ${quoted(body)}`]),
    ...filters.map(
      ({ regex, replacement, scope, flow }) =>
        `replaces ${scope === "global" ? "every match" : "the first match"} of /${regex.pattern}/ in the body by ${textWords(replacement)}, ${flow.mode === "hold" ? "holding the body" : "as the body passes"}`,
    ),
    ...headerWords(headers, "response"),
  ];
}

const filtersOf = ({ data }: TypedStep<StepData>): FilterRule[] => ("filters" in data ? data.filters : []);

/**
 * Access step for a body that will certainly be changed. A partial body cannot be, so the request asks for
 * the full one, in codings that can be decoded.
 */
function requestFullBody(data: ResponseRewriteData, origin: ConfigPath): PlannedStep<StepData>[] {
  const { vars, varsOrigin, body, filters } = data;
  if (body === null && filters.length === 0) return [];
  if (vars !== null && !isKnown(vars, "request")) return [];
  return [{ phase: "access", origin, data: { vars, varsOrigin }, skipIfFilterUnknown: true }];
}

function planVars({ value: { vars }, spans }: Settled, context: PlanContext): Condition | null {
  if (vars === undefined) return null;
  const condition = planCondition(
    { value: vars, spans: spans.below(["vars"]) },
    {
      report: context.report,
      origin: (path) => context.origin(["vars", ...path]),
      now: "response",
      place: "vars of response-rewrite",
      patterns: context.patterns,
      guarantees: context.guarantees,
    },
  );
  return condition.kind === "always" ? null : condition;
}

/** No content (RFC 9110 sections 6.4.1 and 15.3.6). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const IDLE_WITHOUT_BODY = [
  ["body", "this one is never sent"],
  ["filters", "there is nothing to filter"],
] as const;

function reportIdle({ value, written, spans }: Settled, context: PlanContext): void {
  const { status_code: status } = value;
  if (status !== undefined && WITHOUT_BODY.has(status))
    for (const [field, what] of IDLE_WITHOUT_BODY)
      if (value[field] !== undefined)
        context.report(diagnostic("GW4202", spans.key([field]), { status, what }));
  if (value.filters !== undefined) return;
  for (const field of ["max_resp_body_size", "on_oversize"] as const) {
    if (written[field] !== undefined) context.report(diagnostic("GW4203", spans.key([field]), { field }));
  }
}

/** The validation has checked the base64. */
function planBody({ body, body_base64 }: ResponseRewrite): string | null {
  if (body === undefined) return null;
  return body_base64 ? Buffer.from(body, "base64").toString("latin1") : byteString(body);
}

function planFilters(
  { value, written, spans }: Settled,
  context: PlanContext,
): Pick<ResponseRewriteData, "filters" | "syncBytes"> {
  const { rules, syncBytes } = planBodyFilters(value.filters ?? [], {
    subject: bodySubject(value.max_resp_body_size),
    budget: context.patterns.budget,
    report: context.report,
    span: (i, field) => spans.value(["filters", i, field]),
    writesOptions: (i) => written.filters?.[i]?.options !== undefined,
    origin: (i) => context.origin(["filters", i]),
  });
  return { filters: rules, ...(syncBytes < MAX_SYNC_BYTES && { syncBytes }) };
}

function planHeaders(settings: Settled, context: PlanContext): HeaderAction[] {
  const { headers } = settings.value;
  if (headers === undefined) return [];
  const fields = readHeaders(headers);
  reportFalseFields([...fields.add, ...fields.set], settings, context);
  const scope = { now: "response", place: "a response header", captures: undefined } as const;
  return planHeaderActions(fields, { ...context, ...scope, spans: settings.spans });
}
