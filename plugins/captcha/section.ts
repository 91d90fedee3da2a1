import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { Located } from "../../compiler/parse/source.js";
import type { PluginSection } from "../../compiler/plugin/resource-table.js";
import { isObject } from "../../compiler/validate/explain.js";
import { NOT_FOR_AUDITS } from "./captcha-table.js";

/** The section `captcha` of the deployment. */
export const SECTION: PluginSection = { name: "captcha", check: checkAudit };

/** Findings about `captcha.audit`: its loggers have the schema of the plugins, of which much is about requests. */
function checkAudit({ value, spans }: Located): Diagnostic[] {
  const audit = isObject(value) ? value["audit"] : undefined;
  if (!isObject(audit)) return [];
  return Object.entries(audit).flatMap(([kind, settings]) =>
    Object.keys(isObject(settings) ? settings : {})
      .filter((field) => NOT_FOR_AUDITS.has(field))
      .map((field) => diagnostic("GW4414", spans.key(["audit", kind, field]), { kind, field })),
  );
}
