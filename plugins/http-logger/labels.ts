import { planExtra, type RecordField } from "../../compiler/logger-api.js";
import { diagnostic, type PlanContext, type PluginSettings } from "../../compiler/plugin-api.js";
import type { HttpLogger } from "./schema.gen.js";

/**
 * Loki keeps a stream with index and chunks in memory for each combination of labels. These variables have
 * few values, whichever clients call; addresses or paths as labels would exhaust it.
 */
const FEW_VALUES: ReadonlySet<string> = new Set([
  ...[
    "request_method",
    "method",
    "scheme",
    "https",
    "server_protocol",
    "server_addr",
    "server_port",
    "hostname",
  ],
  ...["route_id", "route_name", "service_id", "service_name", "consumer_name", "consumer_group_id", "status"],
]);

/** `varying`: names of the labels that depend on the request. */
export interface PlannedLabels {
  fields: RecordField[];
  varying: string[];
}

export function planLabels(
  { value, spans }: PluginSettings<HttpLogger>,
  context: PlanContext,
): PlannedLabels {
  const { labels } = value.loki;
  const at = spans.below(["loki", "labels"]);
  // A field of a record keeps its type; the sink turns values that are no strings into text.
  const bodies = { request: false, response: false };
  const fields = planExtra({ value: labels, spans: at }, { report: context.report, bodies });
  for (const { name, value: part } of fields)
    for (const variable of variablesOf(part))
      if (!FEW_VALUES.has(variable))
        context.report(diagnostic("GW4421", at.value([name]), { name: variable, label: name }));
  return {
    fields,
    varying: fields.filter(({ value: part }) => !("literal" in part)).map(({ name }) => name),
  };
}

function variablesOf(part: RecordField["value"]): string[] {
  if ("text" in part) return part.text.flatMap((one) => ("variable" in one ? [one.variable] : []));
  return "variable" in part ? [part.variable] : [];
}
