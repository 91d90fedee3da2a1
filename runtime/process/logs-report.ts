import type { Metrics } from "../abi/metrics.js";
import type { SharedResource } from "../abi/resource.js";
import { type DeliveryFailure, type DeliveryReport, deliveriesOf } from "../logging/delivered.js";
import type { Shipping } from "../logging/spool/shipping.js";

export interface LogsReport {
  readonly outputs: readonly DeliveryReport[];
  /** Last failures of spools, by destination; empty if this process ships none. */
  readonly shipped: readonly { readonly id: string; readonly failure: DeliveryFailure }[];
  /** Module ids ("route:shop") by delivery and destination ("memory 1f…"); absent if not requested. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
}

/** @param resources shared resources with their module ids; undefined: users are not requested */
export function logsReport(
  metrics: Metrics,
  shipping: Pick<Shipping, "destinations"> | undefined,
  resources: Iterable<[moduleId: string, resource: SharedResource]> | undefined,
): LogsReport {
  const shipped = (shipping?.destinations ?? []).flatMap(({ id, failure }) =>
    failure === undefined ? [] : [{ id, failure }],
  );
  return { outputs: deliveriesOf(metrics), shipped, ...(resources && { users: usersIn(resources) }) };
}

function usersIn(
  resources: Iterable<[moduleId: string, resource: SharedResource]>,
): Record<string, string[]> {
  const users: Record<string, string[]> = {};
  for (const [moduleId, { delivers }] of resources)
    if (delivers !== undefined) (users[`${delivers.delivery} ${delivers.id}`] ??= []).push(moduleId);
  return users;
}
