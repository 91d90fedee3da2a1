import type { Report } from "../model/diagnostic.js";
import type { Change } from "../model/input.js";
import { checkPatterns, checkResource } from "../policy/check.js";
import type { Policy } from "../policy/policy.js";
import type { Affected } from "./affected.js";
import type { Workspace } from "./workspace.js";

export function checkAffected(
  policy: Policy,
  { inventory, places, state }: Workspace,
  changes: readonly Change[],
  { routes }: Affected,
  report: Report,
): void {
  const written = changes.flatMap((change) =>
    "put" in change ? (inventory.get(change.put.kind, change.put.id) ?? []) : [],
  );
  const touched = [...routes].flatMap((id) => inventory.get("routes", id) ?? []);
  for (const resource of new Set([...written, ...touched]))
    checkResource(policy, resource, (id) => inventory.get("services", id), report);
  checkPatterns(policy, state.planned(routes), places, report);
}
