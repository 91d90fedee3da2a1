import { diagnostic } from "../diagnostics/report.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";
import type { LoggerSettings } from "./schema.gen.js";

/** Unused setting, with the reason in words for an operator. */
export interface UnusedSetting {
  field: string;
  because: string;
}

/** Reports settings that have no effect because of others. */
export function reportUnusedSettings(
  idle: readonly UnusedSetting[],
  { written, spans }: Pick<PluginSettings<object>, "written" | "spans">,
  context: PlanContext,
): void {
  for (const { field, because } of idle)
    if (Object.hasOwn(written, field))
      context.report(diagnostic("GW4405", spans.key([field]), { field, because }));
}

export function commonIdle({ value: settings }: PluginSettings<LoggerSettings>): UnusedSetting[] {
  const { delivery } = settings;
  return [
    ...(settings.include_req_body
      ? []
      : [
          without("include_req_body_expr", "include_req_body"),
          without("max_req_body_bytes", "include_req_body"),
        ]),
    ...(settings.include_resp_body
      ? []
      : [
          without("include_resp_body_expr", "include_resp_body"),
          without("max_resp_body_bytes", "include_resp_body"),
        ]),
    ...(settings.log_format === undefined
      ? []
      : [{ field: "log_format_extra", because: "log_format replaces the default record" }]),
    ...(delivery === "durable"
      ? [{ field: "max_retry_count", because: "with delivery: durable a record is retried until it arrives" }]
      : [{ field: "spool", because: "only delivery: durable has a spool" }]),
  ];
}

function without(field: string, needed: string): UnusedSetting {
  return { field, because: `${needed} is not true` };
}
