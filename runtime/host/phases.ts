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

/** Runs log after the response: every global rule's, then the route's. */
export function logPhases(x: GatewayExchange): void {
  for (const rule of x.generation.globalRules) rule.module.log?.(x);
  const module = x.route?.module;
  if (module?.log !== undefined) module.log(x);
}
