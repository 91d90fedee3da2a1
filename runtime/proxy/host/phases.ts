import type { PipelineModule } from "../../abi/route-module.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { PART_OF, rests, runs } from "./running.js";

/**
 * Runs rewrite and access: every global rule's, then the route's, phase by phase (reference 2.4). Stops when one has
 * answered. Returns a promise only when an access phase gave one.
 */
export function requestPhases(x: GatewayExchange): Promise<void> | undefined {
  const pending = phasesUntilAnswered(x);
  rests();
  return pending;
}

function phasesUntilAnswered(x: GatewayExchange): Promise<void> | undefined {
  const globals = x.generation.globalRules;
  const module = x.route?.module;
  for (let i = 0; i < globals.length; i++) {
    runs(x.route, PART_OF.rule + i);
    globals[i]?.module.rewrite?.(x);
    if (x.answered) return undefined;
  }
  runs(x.route, PART_OF.phase);
  if (module?.rewrite !== undefined) module.rewrite(x);
  if (x.answered) return undefined;
  for (let i = 0; i < globals.length; i++) {
    runs(x.route, PART_OF.rule + i);
    const pending = globals[i]?.module.access?.(x);
    if (pending !== undefined) return remainingAccess(x, pending, i + 1);
    if (x.answered) return undefined;
  }
  runs(x.route, PART_OF.phase);
  const pending = module?.access?.(x);
  return pending === undefined ? undefined : pending;
}

async function remainingAccess(x: GatewayExchange, first: Promise<void>, from: number): Promise<void> {
  await first;
  const globals = x.generation.globalRules;
  for (let i = from; i < globals.length && !x.answered; i++)
    await accessOf(x, globals[i]?.module, PART_OF.rule + i);
  if (!x.answered) await accessOf(x, x.route?.module, PART_OF.phase);
}

function accessOf(
  x: GatewayExchange,
  module: PipelineModule | null | undefined,
  part: number,
): void | Promise<void> {
  runs(x.route, part);
  const pending = module?.access?.(x);
  rests();
  return pending;
}

/** Lets loggers capture the body of a request that was answered before they could; no more than they did where they have. */
export function captureRequest(x: GatewayExchange): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    runs(x.route, PART_OF.rule + i);
    globals[i]?.module.captureRequest?.(x);
  }
  runs(x.route, PART_OF.phase);
  x.route?.module?.captureRequest?.(x);
  rests();
}

/** Runs headerFilter on a response of any origin: every global rule's, then the route's. */
export function headerFilters(x: GatewayExchange): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    runs(x.route, PART_OF.rule + i);
    globals[i]?.module.headerFilter?.(x);
  }
  const module = x.route?.module;
  if (module?.headerFilter !== undefined) {
    runs(x.route, PART_OF.phase);
    module.headerFilter(x);
  }
  x.response.dropFalseCoding();
  rests();
}

/** Whether somebody wants to be asked before the last byte of the response leaves. */
export function mustAcknowledge(x: GatewayExchange): boolean {
  if (x.route?.module?.acknowledge !== undefined) return true;
  for (const rule of x.generation.globalRules) if (rule.module.acknowledge !== undefined) return true;
  return false;
}

/** Is told what a phase threw that must not throw. */
interface FailureReport {
  moduleFailed(x: GatewayExchange, error: unknown): void;
}

/**
 * Runs acknowledge or log: every global rule's, then the route's. What one of them throws is reported, so that it neither
 * reaches the client nor keeps the others from their record.
 */
export function closingPhases(x: GatewayExchange, phase: "acknowledge" | "log", report: FailureReport): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    runs(x.route, PART_OF.rule + i);
    closing(globals[i]?.module, phase, x, report);
  }
  const module = x.route?.module;
  if (module != null) {
    runs(x.route, PART_OF.phase);
    closing(module, phase, x, report);
  }
  rests();
}

function closing(
  module: PipelineModule | undefined,
  phase: "acknowledge" | "log",
  x: GatewayExchange,
  report: FailureReport,
): void {
  try {
    module?.[phase]?.(x);
  } catch (error) {
    report.moduleFailed(x, error);
  }
}
