import type { Kind } from "../resolve/resource.js";

/** Schema file and the word for one resource of a kind. */
export const KIND_SCHEMAS: Readonly<Record<Kind, { file: string; word: string }>> = {
  routes: { file: "route.json", word: "route" },
  services: { file: "service.json", word: "service" },
  upstreams: { file: "upstream.json", word: "upstream" },
  plugin_configs: { file: "plugin-config.json", word: "plugin_config" },
  plugin_metadata: { file: "plugin-metadata.json", word: "plugin_metadata" },
  global_rules: { file: "global-rule.json", word: "global_rule" },
  consumers: { file: "consumer.json", word: "consumer" },
  ssls: { file: "ssl.json", word: "ssl" },
  captcha_customers: { file: "captcha-customer.json", word: "captcha_customer" },
  captcha_site_keys: { file: "captcha-site-key.json", word: "captcha_site_key" },
  captcha_api_keys: { file: "captcha-api-key.json", word: "captcha_api_key" },
};
