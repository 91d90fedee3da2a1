import { canonicalJson } from "../../runtime/abi/hash.js";
import type { Condition, PlannedPipeline, Regex, Step } from "../model/plan.js";
import { conditionConstraints } from "./condition-constraints.js";
import { trafficEffect } from "./effect.js";
import { assigned, merged, type SampleConstraints } from "./sample-constraints.js";
import { matchingTexts, sampleOf } from "./sample-values.js";

const MOST = 150;

/** Requests and responses for which two pipelines may differ, with and without the values that their steps read. */
export function actionConstraints(
  before: PlannedPipeline | null,
  after: PlannedPipeline | null,
): SampleConstraints[] {
  const stepsOf = (pipeline: PlannedPipeline | null) =>
    new Set((pipeline?.steps ?? []).map((step) => canonicalJson(trafficEffect(step))));
  const [old, fresh] = [stepsOf(before), stepsOf(after)];
  const changed = [...(before?.steps ?? []), ...(after?.steps ?? [])].filter((step) => {
    const text = canonicalJson(trafficEffect(step));
    return !old.has(text) || !fresh.has(text);
  });
  const looked = changed.map(lookedAt);
  const all = looked.reduce<SampleConstraints>((facts, { present }) => merged(facts, present), {});
  const conditions = looked.flatMap(({ ways }) => ways);
  const texts = looked.flatMap(({ matches }) => matches);
  const secure: SampleConstraints[] = [{ tls: {} }, merged(all, { tls: {} })];
  const chances = chancesOf([before, after]);
  const statuses = [404, 500].map((status): SampleConstraints => ({ status }));
  const plain = [
    {},
    all,
    ...conditions,
    ...texts,
    ...conditions.flatMap((facts) => texts.map((more) => merged(facts, more))),
    ...conditions.map((facts) => merged(all, facts)),
    ...statuses,
    ...statuses.map((facts) => merged(all, facts)),
    merged(all, { method: "POST", body: "hello from the client" }),
  ];
  // A request without TLS is the simpler example.
  return [...plain.slice(0, MOST - secure.length - chances.length), ...secure, ...chances];
}

/** Random numbers between the rates of two loggers, for which only one of them samples the request. */
function chancesOf(pipelines: readonly (PlannedPipeline | null)[]): SampleConstraints[] {
  const rates = pipelines.flatMap((pipeline) =>
    (pipeline?.resources ?? []).flatMap(({ data }) => rateOf(data) ?? []),
  );
  const sorted = [...new Set([0, ...rates, 1])].sort((a, b) => a - b);
  return rates.length === 0
    ? []
    : sorted.slice(1).map((rate, i) => ({ chance: (rate + (sorted[i] ?? 0)) / 2 }));
}

function rateOf(data: unknown): number | undefined {
  const { settings } = (data ?? {}) as { settings?: { sample?: { rate?: unknown } } };
  return typeof settings?.sample?.rate === "number" ? settings.sample.rate : undefined;
}

interface StepConstraints {
  /** Sets everything that the step may read, remove or replace. */
  present: SampleConstraints;
  /** Make its conditions true, and false. */
  ways: SampleConstraints[];
  matches: SampleConstraints[];
}

function lookedAt({ data, filter }: Step): StepConstraints {
  const found: StepConstraints = {
    present: {},
    ways: [...conditionConstraints(filter, true), ...conditionConstraints(filter, false)],
    matches: [],
  };
  visit(data, found);
  return found;
}

function visit(value: unknown, found: StepConstraints): void {
  if (Array.isArray(value)) for (const item of value) visit(item, found);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const { kind, variable, action, name, pattern } = value as Record<string, unknown>;
  if (kind === "compare" || kind === "and" || kind === "or" || kind === "nand" || kind === "nor") {
    const condition = value as Condition;
    found.ways.push(...conditionConstraints(condition, true), ...conditionConstraints(condition, false));
    return;
  }
  if (typeof pattern === "string") {
    visitRegex(value as Regex, found);
    return;
  }
  if (typeof variable === "string")
    found.present = merged(assigned(variable, sampleOf(variable)) ?? {}, found.present);
  if (typeof action === "string" && typeof name === "string") {
    const there = { [name.toLowerCase()]: "from-client" };
    found.present = merged(found.present, { headers: there, answerHeaders: there });
  }
  for (const member of Object.values(value)) visit(member, found);
}

function visitRegex(regex: Regex, found: StepConstraints): void {
  for (const text of matchingTexts(regex)) {
    found.matches.push({ answerBody: `${text} ${text}` }, { answerBody: text });
    if (text.startsWith("/")) found.matches.push({ path: text }, { path: `${text}x` });
  }
}
