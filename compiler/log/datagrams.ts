import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import type { LoggerSettings } from "./settings.js";

/**
 * Reports what datagrams cannot keep: nobody confirms one, so nothing that is durable is known to have arrived, and no answer can wait for it.
 * @param more what the plugin says beside it; `promised` with `ack: response`
 */
export function reportDatagramPromises(
  { value: { delivery, ack }, spans }: PluginSettings<Pick<LoggerSettings, "delivery" | "ack">>,
  context: Pick<PlanContext, "report">,
  more: (promised: boolean) => Partial<Pick<Diagnostic, "notes" | "help">>,
): void {
  if (delivery !== "durable") return;
  const promised = ack === "response";
  const at = spans.value([promised ? "ack" : "delivery"]);
  context.report(diagnostic(promised ? "GW4413" : "GW4412", at, {}, more(promised)));
}
