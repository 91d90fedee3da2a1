import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Condition } from "../model/plan.js";
import type { RouteGuarantees } from "../model/route-guarantees.js";
import { conditionText, isProven, type Term } from "./contradiction.js";

/** Reports `vars` that hold for no request because of the route's own methods, hosts or paths. */
export function reportUnsatisfiable(
  condition: Condition,
  known: RouteGuarantees,
  span: Span,
  report: (finding: Diagnostic) => void,
): void {
  if (!isProven(false, condition)) return;
  const term = decisive(condition, false);
  if (term === undefined) return;
  const name = term.compare.variable;
  report(
    diagnostic("GW4020", span, { name, conditions: `${fieldWords(name, known)} and ${conditionText(term)}` }),
  );
}

/** Returns the first comparison that is known never to hold in its position. */
function decisive(condition: Condition, negated: boolean): Term | undefined {
  if (condition.kind === "always") return undefined;
  if (condition.kind === "compare") {
    const never = condition.proven !== undefined && condition.proven === negated;
    return never ? { compare: condition, negated: condition.negated !== negated } : undefined;
  }
  const inverted = condition.kind === "nand" || condition.kind === "nor";
  for (const item of condition.items) {
    const found = decisive(item, negated !== inverted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the deciding field of the route, as configured. */
function fieldWords(variable: string, { methods, hosts, uris }: RouteGuarantees): string {
  if (variable.endsWith("method")) return `methods ${methods.join(", ")}`;
  return variable === "uri" ? `uri ${uris.join(", ")}` : `host ${hosts.join(", ")}`;
}
