import type { MetricFamily } from "../../../runtime/abi/plugin-api.js";
import type {
  Contribution,
  PluginAttention,
  ServiceContribution,
} from "../../../runtime/process/contribution-api.js";
import { type CaptchaTable, NO_CAPTCHA } from "../captcha-table.js";
import { captchaOperation } from "./admin.js";
import { CaptchaLink } from "./link.js";
import { OPERATIONS } from "./operations.js";
import { RESOURCES } from "./resources.js";
import { type CaptchaDeployment, type CaptchaSection, captchaOf, unkept } from "./settings.js";

/** Age in seconds above which a request without a verdict no longer counts. */
const STILL = 300;

/** Routes without verdicts reject requests with 503 or pass them unverified, and nobody sees the reason. */
function attentionOf(families: readonly MetricFamily[], now: number): PluginAttention[] {
  const family = families.find(({ name }) => name === "gw_captcha_plugin_last_failure_timestamp_seconds");
  return (family?.series ?? [])
    .filter(({ value }) => now - value < STILL)
    .map(({ labels: { route = "", url = "", site_key: siteKey = "", error = "" } }) => ({
      ...({ severity: "error", kind: "captcha.no_verdict" } as const),
      text: `captcha of route ${route} receives no verdict from ${url}: ${error}`,
      subject: route === "" ? null : `routes/${route}`,
      action: "set captcha_url to the listener of the captcha service, or start the service",
      values: { route, url, error, site_key: siteKey },
    }));
}

const service: ServiceContribution<CaptchaDeployment> = {
  name: "captcha",
  module: new URL("../service/main.js", import.meta.url).href,
  read: (section, around) => captchaOf(section as CaptchaSection, around),
  unkept,
  listen: ({ listen }) => listen,
  url: ({ settings }) => settings.url,
  operations: OPERATIONS,
  answer: (link, request) => captchaOperation(link as CaptchaLink | undefined, request),
  up: { metric: "gw_captcha_up", help: "1 while the captcha serves the current configuration." },
  open: ({ settings, table, ...parts }) =>
    new CaptchaLink({
      ...parts,
      deployment: settings,
      table: () => (table() as CaptchaTable | undefined) ?? NO_CAPTCHA,
    }),
};

export const contribution: Contribution = {
  plugin: "captcha",
  service,
  resources: RESOURCES,
  attention: attentionOf,
};
