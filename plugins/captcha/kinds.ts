import type { PluginKind } from "../../compiler/plugin/kinds.js";

const OF_CUSTOMER = [{ field: "customer", kind: "captcha_customers", loss: "the key is refused" }];

const NEEDS = { section: "captcha", finding: "GW3051" };

/** Resources of the captcha: who owns keys, keys of pages, keys of backends. */
export const KINDS: readonly PluginKind[] = [
  {
    ...{ name: "captcha_customers", singular: "captcha_customer", label: "captcha customer" },
    ...{ path: "captcha/customers", schema: "captcha-customer.json", needs: NEEDS },
  },
  {
    ...{ name: "captcha_site_keys", singular: "captcha_site_key", label: "captcha site key" },
    ...{ path: "captcha/site-keys", schema: "captcha-site-key.json", needs: NEEDS },
    references: OF_CUSTOMER,
  },
  {
    ...{ name: "captcha_api_keys", singular: "captcha_api_key", label: "captcha api key" },
    ...{ path: "captcha/api-keys", schema: "captcha-api-key.json", needs: NEEDS },
    references: OF_CUSTOMER,
  },
];
