/** A whole captcha service in a process of its own, started with fork like captcha-node; it signs tokens through its own store. */
import "../../plugins/runtime.js";
import { randomBytes } from "node:crypto";
import { startCaptcha } from "../../plugins/captcha/service/captcha.js";
import type { CaptchaConfiguration } from "../../plugins/captcha/service/contract.js";
import { openStores } from "../../plugins/captcha/service/store/open.js";
import { openTokens } from "../../plugins/captcha/service/token/tokens.js";
import { apiKeyDigest } from "../../plugins/captcha/service/verify/api-key.js";
import { captchaLimits } from "../support/captcha-limits.js";
import { plainSiteKey } from "../support/captcha-site-key.js";
import { SETTINGS, SITE } from "../support/verify-harness.js";
import type { FromNode, NodeOrder, ToNode } from "./captcha-node.js";

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
let tokens: Awaited<ReturnType<typeof openTokens>> | undefined;

function configurationOf({ store, secrets, keys }: NodeOrder): CaptchaConfiguration {
  const { id, key } = keys.shop;
  const digest = apiKeyDigest(Buffer.from(secrets["api-key"], "base64"), key);
  return {
    settings: {
      ...SETTINGS,
      store,
      url: "http://127.0.0.1",
      trustedAddresses: ["127.0.0.1"],
      limits: captchaLimits({ sessions: 200_000, claims: 5_000_000, sessionsSoft: 1e6, sessionsHard: 1e6 }),
    },
    customers: [{ id: "shop", enabled: true }],
    siteKeys: [plainSiteKey(SITE, "shop", { challengeMode: "always", powBits: 0 })],
    apiKeys: [{ id, customer: "shop", enabled: true, expires: null, digest }],
    secrets,
  };
}

async function told(message: ToNode): Promise<FromNode> {
  if ("start" in message) {
    const configuration = configurationOf(message.start);
    const { settings, secrets } = configuration;
    const running = await startCaptcha(configuration, { listener: { host: "127.0.0.1", port: 0 }, clock });
    const key = { "key-ring": Buffer.from(secrets["key-ring"], "base64") };
    const { keyRecords } = await openStores(settings, key, clock);
    tokens = await openTokens(keyRecords, clock, { issuer: () => running.url });
    return { port: running.address.port };
  }
  const issued: string[] = [];
  for (let i = 0; i < message.issue; i++) {
    const request_id = `req_${randomBytes(16).toString("hex")}`;
    const claims = { request_id, site_key: SITE, hostname: "shop.example", how: "task" } as const;
    issued.push((await tokens?.issue(claims, 600_000)) ?? "");
  }
  return { tokens: issued };
}

process.on("message", (message: ToNode) => {
  void told(message).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
