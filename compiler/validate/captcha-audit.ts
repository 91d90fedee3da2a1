import { NOT_FOR_AUDITS } from "../../runtime/abi/captcha.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Located } from "../parse/source.js";
import { isObject } from "./explain.js";

/** Findings about `captcha.audit`: its loggers have the schema of the plugins, of which much is about requests. */
export function checkAudit({ value, spans }: Located): Diagnostic[] {
  const captcha = isObject(value) ? value["captcha"] : undefined;
  const audit = isObject(captcha) ? captcha["audit"] : undefined;
  if (!isObject(audit)) return [];
  return Object.entries(audit).flatMap(([kind, settings]) =>
    Object.keys(isObject(settings) ? settings : {})
      .filter((field) => NOT_FOR_AUDITS.has(field))
      .map((field) => diagnostic("GW4414", spans.key(["captcha", "audit", kind, field]), { kind, field })),
  );
}
