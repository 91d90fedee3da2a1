import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import type { LoggerSettings } from "./schema.gen.js";

/**
 * Datagrams are never acknowledged: durable delivery is not confirmed, and no response can wait for it.
 * @param more notes and help of the plugin; `promised` with `ack: response`
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
