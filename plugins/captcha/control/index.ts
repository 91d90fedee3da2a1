import type { MetricFamily } from "../../../runtime/abi/plugin-api.js";
import {
  type ApiResponse,
  type Contribution,
  failure,
  json,
  type OperationRequest,
  type PluginAttention,
  type ServiceContribution,
} from "../../../runtime/process/contribution-api.js";
import { type CaptchaTable, NO_CAPTCHA } from "../captcha-table.js";
import { access } from "./access.js";
import { CaptchaLink, CaptchaUnavailableError } from "./link.js";
import { OPERATIONS } from "./operations.js";
import { PAGE_POLICY, statisticsPage } from "./page.js";
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

/** @param link undefined: no captcha is configured */
async function captchaOperation(
  link: CaptchaLink | undefined,
  request: OperationRequest,
): Promise<ApiResponse> {
  const [operation, id = ""] = request.segments;
  if (!link) return failure(404, "no captcha is configured: the section captcha is absent");
  try {
    if (operation === "stats") return await statistics(link, request);
    if (operation === "access") return access(link.knownKeys(), request.bodyText, Date.now());
    if (operation === "decisions") return await decision(link, id);
    if (request.query.get("dry_run") === "true")
      return failure(400, "rotating the signing key has no dry run: remove dry_run");
    return json(201, await link.ask({ about: "rotation" }));
  } catch (error) {
    if (error instanceof CaptchaUnavailableError) return failure(503, error.message);
    throw error;
  }
}

async function statistics(link: CaptchaLink, { query, accept = "" }: OperationRequest): Promise<ApiResponse> {
  const format = query.get("format") ?? (/\btext\/html\b/.test(accept) ? "html" : "json");
  if (format !== "html" && format !== "json")
    return failure(400, "invalid argument format: should be json or html");
  const counted = await link.ask({ about: "statistics" });
  const value = { ...counted, restart_needed: link.restartNeeded };
  const headers = { "Cache-Control": "no-store", Vary: "Accept" };
  if (format === "json") return { status: 200, body: value, headers };
  return {
    status: 200,
    body: statisticsPage(value),
    type: "text/html; charset=utf-8",
    headers: { ...headers, "Content-Security-Policy": PAGE_POLICY, "X-Content-Type-Options": "nosniff" },
  };
}

async function decision(link: CaptchaLink, requestId: string): Promise<ApiResponse> {
  if (!/^[\w-]{1,64}$/.test(requestId))
    return failure(400, "a request_id consists of letters, digits, _ and -");
  const found = await link.ask({ about: "decision", requestId });
  if (found === null) return json(404, { message: "Key not found" });
  return { status: 200, body: found, headers: { "Cache-Control": "no-store" } };
}
