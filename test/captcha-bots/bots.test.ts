/**
 * Attacks on a live service in its default mode: `npm run test:captcha-bots`, 200 sessions each, in the short
 * form 10. Each session has a network of its own, so that only the session itself decides. Prints the
 * results.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CaptchaGateway, CUSTOMER } from "../e2e/captcha/captcha-gateway.js";
import { WITHOUT_BROWSER } from "../support/browser.js";
import { type Attacker, attackers } from "./attackers.js";
import { type DrivenBrowser, plainChromium, stealthChromium } from "./driven.js";
import type { Loot } from "./loot.js";
import { raid, type Target } from "./raid.js";

const SESSIONS = process.env["GWC_ATTACK"] === "long" ? 200 : 10;
const SITE = "sk_as_it_comes";

let captcha: CaptchaGateway;
let all: Attacker[];
let target: Target;
const looted: [Pick<Attacker, "name">, Loot][] = [];

beforeAll(async () => {
  captcha = await CaptchaGateway.start({ trusted_addresses: ["127.0.0.0/8"] });
  const settings = { customer: CUSTOMER, hostnames: ["localhost"] };
  const { status } = await captcha.gateway.admin("PUT", `/captcha/site-keys/${SITE}`, settings);
  expect(status).toBe(201);
  target = { url: captcha.url, siteKey: SITE };
  all = await attackers();
});
afterAll(async () => {
  process.stdout.write(`${table()}\n`);
  for (const attacker of all ?? []) await attacker.close();
  await captcha?.end();
});

function table(): string {
  const rows = looted.map(([{ name }, { sessions, tokens, seconds, cpuSeconds }]) => {
    const hourly = Math.round((tokens / seconds) * 3_600).toLocaleString("en");
    const price = tokens === 0 ? "none to be had" : `${(cpuSeconds / tokens).toFixed(2)} s`;
    return `| ${name} | ${tokens} of ${sessions} | ${hourly} | ${price} |`;
  });
  return [
    "",
    "| attacker | tokens | tokens an hour | CPU seconds a token |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

describe("captcha with default settings", () => {
  it("[B7] programs without a browser get no token: each session gets a task, none is rejected", async () => {
    for (const attacker of all.filter(({ browser }) => !browser)) {
      const loot = await raid(target, attacker, SESSIONS);
      looted.push([attacker, loot]);
      expect({ name: attacker.name, tokens: loot.tokens, tasks: loot.tasks }).toEqual({
        name: attacker.name,
        tokens: 0,
        tasks: SESSIONS,
      });
    }
  });

  it("[B7] the same forgeries get each token with answers of a real browser, so the program decides", async () => {
    for (const attacker of all.filter(({ browser }) => browser)) {
      const loot = await raid(target, attacker, SESSIONS);
      looted.push([attacker, loot]);
      expect(loot.tokens).toBe(SESSIONS);
    }
  });

  const drive = async (open: () => Promise<DrivenBrowser>): Promise<Loot> => {
    const browser = await open();
    try {
      const loot = await browser.raid(target, SESSIONS);
      looted.push([browser, loot]);
      return loot;
    } finally {
      await browser.close();
    }
  };

  it.skipIf(WITHOUT_BROWSER)(
    "[A44] each session of a headless Chromium without changes gets a task",
    async () => {
      const { tokens, tasks } = await drive(plainChromium);
      expect({ tokens, tasks }).toEqual({ tokens: 0, tasks: SESSIONS });
    },
  );

  // Prints its results: a browser with a person's signals has a person's score, and only its price is left.
  it.skipIf(WITHOUT_BROWSER)(
    "sessions of a stealth Chromium are not rejected, and each costs more than 0.1 CPU seconds",
    async () => {
      const { refused, cpuSeconds } = await drive(stealthChromium);
      expect(refused).toBe(0);
      expect(cpuSeconds / SESSIONS).toBeGreaterThan(0.1);
    },
  );
});
