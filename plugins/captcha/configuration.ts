import { type Diagnostic, diagnostic, type Spanned } from "../../compiler/plugin-api.js";
import { isObject, type PluginKind, type PluginSection } from "../../compiler/service-api.js";
import { NOT_FOR_AUDITS } from "./captcha-table.js";

const OF_CUSTOMER = [{ field: "customer", kind: "captcha_customers", loss: "the key is rejected" }];

const NEEDS = { section: "captcha", finding: "GW3051" };

export const KINDS: readonly PluginKind[] = [
  {
    ...{ name: "captcha_customers", singular: "captcha_customer", label: "captcha customer" },
    ...{ path: "captcha/customers", schema: "captcha-customer.json", requiresSection: NEEDS },
  },
  {
    ...{ name: "captcha_site_keys", singular: "captcha_site_key", label: "captcha site key" },
    ...{ path: "captcha/site-keys", schema: "captcha-site-key.json", requiresSection: NEEDS },
    references: OF_CUSTOMER,
  },
  {
    ...{ name: "captcha_api_keys", singular: "captcha_api_key", label: "captcha api key" },
    ...{ path: "captcha/api-keys", schema: "captcha-api-key.json", requiresSection: NEEDS },
    references: OF_CUSTOMER,
  },
];

export const SECTION: PluginSection = { name: "captcha", check: checkAudit };

/** Loggers of `captcha.audit` have the schema of the plugins, much of which is about requests. */
function checkAudit({ value, spans }: Spanned): Diagnostic[] {
  const audit = isObject(value) ? value["audit"] : undefined;
  if (!isObject(audit)) return [];
  return Object.entries(audit).flatMap(([kind, settings]) =>
    Object.keys(isObject(settings) ? settings : {})
      .filter((field) => NOT_FOR_AUDITS.has(field))
      .map((field) => diagnostic("GW4414", spans.key(["audit", kind, field]), { kind, field })),
  );
}
