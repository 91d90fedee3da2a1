import type { PipelineModule } from "../abi/route-module.js";
import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * Runs rewrite and access: every global rule's, then the route's, phase by phase (reference 2.4). Stops when one has
 * answered. Returns a promise only when an access phase gave one.
 */
export function requestPhases(x: GatewayExchange): Promise<void> | undefined {
  const globals = x.generation.globalRules;
  const module = x.route?.module;
  for (const rule of globals) {
    rule.module.rewrite?.(x);
    if (x.answered) return undefined;
  }
  if (module?.rewrite !== undefined) module.rewrite(x);
  if (x.answered) return undefined;
  for (let i = 0; i < globals.length; i++) {
    const pending = globals[i]?.module.access?.(x);
    if (pending !== undefined) return remainingAccess(x, pending, i + 1);
    if (x.answered) return undefined;
  }
  const pending = module?.access?.(x);
  return pending === undefined ? undefined : pending;
}

async function remainingAccess(x: GatewayExchange, first: Promise<void>, from: number): Promise<void> {
  await first;
  for (const rule of x.generation.globalRules.slice(from)) {
    if (x.answered) return;
    await rule.module.access?.(x);
  }
  if (!x.answered) await x.route?.module?.access?.(x);
}

/** Runs headerFilter on a response of any origin: every global rule's, then the route's. */
export function headerFilters(x: GatewayExchange): void {
  for (const rule of x.generation.globalRules) rule.module.headerFilter?.(x);
  const module = x.route?.module;
  if (module?.headerFilter !== undefined) module.headerFilter(x);
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
  for (const rule of x.generation.globalRules) closing(rule.module, phase, x, report);
  const module = x.route?.module;
  if (module != null) closing(module, phase, x, report);
}

function closing(
  module: PipelineModule,
  phase: "acknowledge" | "log",
  x: GatewayExchange,
  report: FailureReport,
): void {
  try {
    module[phase]?.(x);
  } catch (error) {
    report.moduleFailed(x, error);
  }
}
