import type { MetricFamily } from "../../../runtime/abi/metrics.js";
import type { PluginAttention } from "../../../runtime/process/contribution.js";

/** Age in seconds above which a request without a verdict no longer counts. */
const STILL = 300;

/** Routes without verdicts reject requests with 503 or pass them unverified, and nobody sees the reason. */
export function attentionOf(families: readonly MetricFamily[], now: number): PluginAttention[] {
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
