/**
 * A slow, obvious interpreter of the plan: what the upstream must receive and what the client must receive. It shares
 * no code with the emitter nor with the runtime, so that agreement between the three means something.
 */

import type { Plan, PlannedPipeline, StepPhase } from "../../compiler/model/plan.js";
import { bodyAfter, mayHaveBody } from "../../plugins/response-rewrite/oracle.js";
import { admitted, type GatewayRules } from "./admission.js";
import { decoded, isDecodable } from "./coding.js";
import { holds } from "./condition.js";
import { endToEnd, forwardedFields, withoutDot } from "./forwarding.js";
import {
  type Answer,
  type Forwarded,
  fieldOf,
  type Prediction,
  type Received,
  type Request,
  replaced,
  type UpstreamOutcome,
  valuesOf,
  without,
} from "./message.js";
import { noRoute, noTrace, ownPage, STATUS_OF_FAILURE } from "./own-answer.js";
import { comparedForm, normalForm, queryOf } from "./path.js";
import { ORACLES } from "./plugins.js";
import { isAmbiguous } from "./readings.js";
import { route } from "./router.js";
import type { State } from "./state.js";
import { passingInterim, passingTrailers } from "./trailers.js";

/**
 * @param verdicts of the captcha service, by token
 * @param rules settings of the gateway that the configuration has beside its routes
 */
export function interpret(
  plan: Plan,
  request: Request,
  outcome: UpstreamOutcome,
  verdicts: State["verdicts"] = {},
  rules: GatewayRules = {},
): Prediction {
  const state = begin(plan, request, verdicts, rules);
  if (state === undefined) {
    const { body, ...page } = ownPage(400);
    const sent = request.method === "HEAD" ? "" : body;
    const received = { ...page, body: sent, length: body.length, trailers: [], interim: [] };
    return { forwarded: undefined, received, route: undefined, logs: [], verifications: [] };
  }
  const refused = ["TRACE", "TRACK"].includes(request.method) && rules.allow_trace !== true;
  const ambiguous = !refused && isAmbiguous(plan, state, matchRoute);
  const planned = refused || ambiguous ? undefined : matchRoute(plan, state);
  const pipelines = [...plan.globalRules, ...(planned?.pipeline ? [planned.pipeline] : [])];

  for (const phase of ["rewrite", "access"] as const) {
    for (const pipeline of pipelines) if (!refused && !ambiguous) run(pipeline, phase, state);
  }
  // An early answer keeps no body from the log; loggers that have their copy already take no second one.
  if (refused || ambiguous || state.answered !== undefined)
    for (const pipeline of pipelines) captureRequest(pipeline, state);
  const obtained =
    refused || ambiguous
      ? {
          answer: refused ? noTrace() : ownPage(400),
          forwarded: undefined,
          fromUpstream: false,
          upstreamStatus: undefined,
        }
      : obtain(plan, planned !== undefined, state, outcome);
  respond(obtained, pipelines, state);
  if (state.response?.refused && obtained.fromUpstream) {
    respond({ ...obtained, answer: ownPage(502), fromUpstream: false }, pipelines, state);
  }
  // The page that says so was refused too: it leaves as it is.
  if (state.response?.refused) {
    respond(
      { answer: ownPage(502), forwarded: undefined, fromUpstream: false, upstreamStatus: undefined },
      [],
      state,
    );
  }
  for (const pipeline of pipelines) run(pipeline, "log", state);
  const { logs, verifications } = state;
  const forwarded = obtained.forwarded && {
    ...obtained.forwarded,
    trailers: passingTrailers(obtained.forwarded.trailers, pipelines, "request"),
  };
  return {
    forwarded,
    received: received(state, outcome, pipelines),
    route: planned?.row.id,
    logs,
    verifications,
  };
}

/** The response before any response phase, and what the upstream got on the way to it. */
interface Obtained {
  answer: Answer;
  forwarded: Forwarded | undefined;
  fromUpstream: boolean;
  /** Of the attempts; an attempt without an answer counts as 502 or 504. */
  upstreamStatus: string | undefined;
}

/** Runs the response phases over an answer of any origin. */
function respond(
  { answer, fromUpstream, upstreamStatus }: Obtained,
  pipelines: readonly PlannedPipeline[],
  state: State,
): void {
  const failed = Number(upstreamStatus ?? 0) >= 500;
  const headers = fromUpstream ? endToEnd(answer.headers) : answer.headers;
  state.response = {
    status: answer.status,
    headers: failed ? [...headers, ["X-GW-Upstream-Status", upstreamStatus ?? ""]] : headers,
    upstreamHeaders: fromUpstream ? answer.headers : undefined,
    upstreamStatus,
    coding: fieldOf(answer.headers, "content-encoding"),
    body: answer.body,
    wishes: [],
    refused: false,
  };
  for (const pipeline of pipelines) run(pipeline, "headerFilter", state);
  dropFalseCoding(state.response);
}

/** A body that is changed, or the gateway's own, is in no coding that a plugin names, but for one that was written in it. */
function dropFalseCoding(response: NonNullable<State["response"]>): void {
  const { headers, upstreamHeaders, wishes, body, coding } = response;
  if (upstreamHeaders !== undefined && wishes.length === 0) {
    if (response.oversize) response.headers = replaced(headers, "Content-Encoding", coding ?? "");
    return;
  }
  const named = fieldOf(headers, "content-encoding") ?? "identity";
  if (named.toLowerCase() === "identity") return;
  const last = wishes.at(-1);
  const sent = last === undefined ? body : last.kind === "replace" ? last.body : undefined;
  const known = sent !== undefined && sent !== "" && isDecodable(named) && decoded(sent, named) !== undefined;
  if (!known) response.headers = without(headers, "content-encoding");
}

/** Undefined for a target that has no path to match. */
function begin(
  plan: Plan,
  asReceived: Request,
  verdicts: State["verdicts"],
  rules: GatewayRules,
): State | undefined {
  const letIn = admitted(asReceived, rules);
  if (letIn === undefined) return undefined;
  // The absolute form names the host once more; what counts is its path.
  const target = letIn.target.replace(/^http:\/\/[^/?]*/i, "");
  const request = { ...letIn, target, pathRules: rulesOfPaths(rules.path) };
  const path = normalForm(request.target, request.pathRules);
  if (path === undefined) return undefined;
  const received = endToEnd(request.headers);
  const host = withoutDot((fieldOf(request.headers, "host") ?? "").replace(/:[0-9]*$/, "").toLowerCase());
  return {
    request,
    received,
    path,
    query: queryOf(request.target),
    host,
    route: undefined,
    parameters: {},
    consumer: undefined,
    forwarded: {
      method: request.method,
      target: `${path}${request.target.slice((request.target.split("?", 1)[0] ?? "").length)}`,
      verbatim: false,
      host: undefined,
      headers: without(received, "host"),
      body: request.body,
      written: new Set(),
      folds: rules.underscores_in_headers === undefined,
    },
    captures: undefined,
    credentials: credentialsIn(plan),
    metadata: plan.pluginMetadata ?? [],
    kept: new Map(),
    loggedBody: request.body,
    verdicts,
    verifications: [],
    bodies: { request: undefined, response: undefined },
    logs: [],
    loggedFields: received,
    upstreamAddress: undefined,
    answered: undefined,
    response: undefined,
  };
}

/** `gw.path` with its defaults. */
function rulesOfPaths({ escaped_slashes = "keep", merge_slashes = true }: GatewayRules["path"] = {}) {
  return { escapedSlashes: escaped_slashes, mergeSlashes: merge_slashes };
}

function credentialsIn(plan: Plan): State["credentials"] {
  const pipelines = [...plan.globalRules, ...plan.routes.map(({ pipeline }) => pipeline)];
  const all = pipelines.flatMap((pipeline) => pipeline?.credentials ?? []);
  const query = all.flatMap(({ query }) => query);
  const headers = all.flatMap(({ headers }) => headers);
  const copied = all
    .flatMap(({ copies = [] }) => copies)
    .filter(([from]) =>
      from.startsWith("arg_")
        ? query.includes(from.slice(4))
        : headers.some((name) => name.replaceAll("-", "_") === from.slice(5)),
    );
  return { headers: [...headers, ...copied.map(([, field]) => field)], query };
}

function matchRoute(plan: Plan, state: State): Plan["routes"][number] | undefined {
  const { path, host, request } = state;
  const subject = {
    host,
    path: comparedForm(path),
    method: request.method,
    clientAddress: request.clientAddress,
  };
  const found = route(plan.routes, subject, ({ row, pipeline }, parameters) =>
    holds(pipeline?.match ?? null, { ...state, route: row, parameters }),
  );
  state.route = found?.route.row;
  state.parameters = found?.parameters ?? {};
  return found?.route;
}

/** The steps of one phase in the order of the plan, those whose `_meta.filter` holds. */
function run(pipeline: PlannedPipeline, phase: StepPhase, state: State): void {
  for (const step of pipeline.steps) {
    if (step.phase !== phase || !holds(step.filter, state)) continue;
    const ofRequest = phase === "rewrite" || phase === "access";
    if (ofRequest && state.answered !== undefined) return;
    const interpret = ORACLES[step.plugin];
    if (interpret === undefined) throw new Error(`the oracle does not know the plugin ${step.plugin}`);
    interpret(step, state, pipeline);
  }
}

/** Steps that are due wherever the answer comes from. */
function captureRequest(pipeline: PlannedPipeline, state: State): void {
  for (const step of pipeline.steps)
    if (step.capturesRequest && holds(step.filter, state)) ORACLES[step.plugin]?.(step, state, pipeline);
}

function obtain(plan: Plan, matched: boolean, state: State, outcome: UpstreamOutcome): Obtained {
  const own = (answer: Answer) => ({
    answer,
    forwarded: undefined,
    fromUpstream: false,
    upstreamStatus: undefined,
  });
  if (state.answered !== undefined) {
    const { status, body, contentType, headers = [] } = state.answered;
    return own({ status, body, headers: [["Content-Type", contentType], ...headers] });
  }
  if (!matched) return own(noRoute());
  if (state.route?.unavailable !== undefined) return own(ownPage(state.route.unavailable));
  if (!settleTarget(state)) {
    // A record tells the request as it would have been sent.
    const hosts = state.received.filter(([name]) => name.toLowerCase() === "host");
    state.loggedFields = [...hosts, ...without(state.forwarded.headers, "host")];
    return own(ownPage(400));
  }
  const table = plan.upstreams.find(({ key }) => key === state.route?.upstream);
  if (table === undefined || table.nodes.every(({ weight }) => weight === 0)) return own(ownPage(503));
  const [node] = table.nodes;
  state.upstreamAddress = node && `${node.host}:${node.port}`;
  const forwarded: Forwarded = {
    method: state.forwarded.method,
    target: state.forwarded.target,
    headers: forwardedFields(state, table),
    body: state.forwarded.body,
    trailers: state.request.trailers,
    upstream: table.key,
  };
  const host = valuesOf(state.received, "host").map((value): [string, string] => ["Host", value]);
  state.loggedFields = [...host, ...without(forwarded.headers, "host")];
  if ("failure" in outcome) {
    const answer = ownPage(STATUS_OF_FAILURE[outcome.failure]);
    const reached = outcome.failure === "connect" ? undefined : forwarded;
    return { answer, forwarded: reached, fromUpstream: false, upstreamStatus: String(answer.status) };
  }
  const answer = forwarded.method === "HEAD" ? { ...outcome, body: "" } : outcome;
  return { answer, forwarded, fromUpstream: true, upstreamStatus: String(answer.status) };
}

/** The gate for a target that plugins made; false for one that is not sent. */
function settleTarget({ forwarded, request, path }: State): boolean {
  const { target, verbatim } = forwarded;
  const query = target.slice((target.split("?", 1)[0] ?? "").length);
  // Nothing but the query was changed.
  if (target === `${path}${query}`) return true;
  const settled = normalForm(target, request.pathRules, true);
  if (settled === undefined) return false;
  if (!verbatim) forwarded.target = `${settled}${query}`;
  return true;
}

/** The body as the plugins wished it, and the bytes of it that may be sent; interim responses and trailers to HTTP/1.1 alone. */
function received(state: State, outcome: UpstreamOutcome, pipelines: readonly PlannedPipeline[]): Received {
  const { response, request } = state;
  if (response === undefined) throw new Error("no response was made");
  const { status, headers, wishes, body } = response;
  const whole = wishes.length === 0 ? body : (bodyAfter(response) ?? "");
  const came = "failure" in outcome || state.upstreamAddress === undefined ? undefined : outcome;
  const told = came !== undefined && request.minor === 1;
  const interim = told ? passingInterim(came.interim, pipelines) : [];
  if (!mayHaveBody(state))
    return { status, headers, body: "", length: lengthWithoutBody(response), trailers: [], interim };
  const passes = told && response.upstreamHeaders !== undefined && wishes.length === 0;
  const trailers = passes ? passingTrailers(came.trailers, pipelines, "response") : [];
  return { status, headers, body: whole, length: whole.length, trailers, interim };
}

/** What Content-Length says where no body follows: the length of the body of a GET, when it is known. */
function lengthWithoutBody({
  status,
  wishes,
  ...response
}: NonNullable<State["response"]>): number | undefined {
  if (status === 204) return undefined;
  if (status === 205) return 0;
  const last = wishes.at(-1);
  if (last?.kind === "replace") return status === 304 ? undefined : last.body.length;
  if (last !== undefined) return undefined;
  if (response.upstreamHeaders === undefined) return status === 304 ? undefined : response.body.length;
  const stated = fieldOf(response.upstreamHeaders, "content-length");
  return stated === undefined ? undefined : Number(stated);
}
