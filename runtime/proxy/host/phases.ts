import type { PipelineModule } from "../../abi/route-module.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";
import type { WorkerContext } from "./worker-context.js";

/**
 * Runs every global rule, then the route, phase by phase (reference 2.4), until a local reply. Returns a
 * promise only if an access phase returned one.
 */
export function requestPhases(x: GatewayExchange): Promise<void> | undefined {
  const pending = phasesUntilAnswered(x);
  clearRunning();
  return pending;
}

function phasesUntilAnswered(x: GatewayExchange): Promise<void> | undefined {
  const globals = x.generation.globalRules;
  const module = x.route?.module;
  for (let i = 0; i < globals.length; i++) {
    markRunning(x.route, CodeKind.rule + i);
    globals[i]?.module.rewrite?.(x);
    if (x.answered) return undefined;
  }
  markRunning(x.route, CodeKind.phase);
  if (module?.rewrite !== undefined) module.rewrite(x);
  if (x.answered) return undefined;
  for (let i = 0; i < globals.length; i++) {
    markRunning(x.route, CodeKind.rule + i);
    const pending = globals[i]?.module.access?.(x);
    if (pending !== undefined) return remainingAccess(x, pending, i + 1);
    if (x.answered) return undefined;
  }
  markRunning(x.route, CodeKind.phase);
  const pending = module?.access?.(x);
  return pending === undefined ? undefined : pending;
}

async function remainingAccess(x: GatewayExchange, first: Promise<void>, from: number): Promise<void> {
  await first;
  const globals = x.generation.globalRules;
  for (let i = from; i < globals.length && !x.answered; i++)
    await accessOf(x, globals[i]?.module, CodeKind.rule + i);
  if (!x.answered) await accessOf(x, x.route?.module, CodeKind.phase);
}

function accessOf(
  x: GatewayExchange,
  module: PipelineModule | null | undefined,
  part: number,
): void | Promise<void> {
  markRunning(x.route, part);
  const pending = module?.access?.(x);
  clearRunning();
  return pending;
}

/** Lets loggers capture the request of a local reply that came before; does not extend earlier captures. */
export function captureRequest(x: GatewayExchange): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    markRunning(x.route, CodeKind.rule + i);
    globals[i]?.module.captureRequest?.(x);
  }
  markRunning(x.route, CodeKind.phase);
  x.route?.module?.captureRequest?.(x);
  clearRunning();
}

/** Runs headerFilter on any response: first of every global rule, then of the route. */
export function headerFilters(x: GatewayExchange): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    markRunning(x.route, CodeKind.rule + i);
    globals[i]?.module.headerFilter?.(x);
  }
  const module = x.route?.module;
  if (module?.headerFilter !== undefined) {
    markRunning(x.route, CodeKind.phase);
    module.headerFilter(x);
  }
  x.response.dropFalseCoding();
  clearRunning();
}

/** Reports whether a module has an acknowledge phase, which runs before the last byte of the response. */
export function mustAcknowledge(x: GatewayExchange): boolean {
  if (x.route?.module?.acknowledge !== undefined) return true;
  for (const rule of x.generation.globalRules) if (rule.module.acknowledge !== undefined) return true;
  return false;
}

type FailureReport = Pick<WorkerContext, "moduleFailed">;

/** Runs every global rule, then the route. Errors neither reach the client nor keep other modules from logging. */
export function closingPhases(x: GatewayExchange, phase: "acknowledge" | "log", report: FailureReport): void {
  const globals = x.generation.globalRules;
  for (let i = 0; i < globals.length; i++) {
    markRunning(x.route, CodeKind.rule + i);
    closing(globals[i]?.module, phase, x, report);
  }
  const module = x.route?.module;
  if (module != null) {
    markRunning(x.route, CodeKind.phase);
    closing(module, phase, x, report);
  }
  clearRunning();
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
