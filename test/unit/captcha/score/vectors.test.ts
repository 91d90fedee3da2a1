import { describe, expect, it } from "vitest";
import type { CaptchaSettings, ClientAddress } from "../../../../plugins/captcha/service/contract.js";
import type { Telemetry } from "../../../../plugins/captcha/service/protocol.js";
import { PrefixRates } from "../../../../plugins/captcha/service/rate/prefix-rates.js";
import { browserEvidence, looksHuman } from "../../../../plugins/captcha/service/score/browser-signals.js";
import { combine } from "../../../../plugins/captcha/service/score/combine.js";
import { hostingEvidence, rateEvidence } from "../../../../plugins/captcha/service/score/network-signals.js";
import { requestEvidence } from "../../../../plugins/captcha/service/score/request-signals.js";
import { HeaderList } from "../../../../runtime/http/header-list.js";
import { CHROME, FIREFOX, telemetry } from "../../../support/captcha-api.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { captchaLimits } from "../../../support/captcha-limits.js";

const CHROME_FIELDS = {
  "User-Agent": CHROME,
  "Accept-Language": "ru-RU,ru;q=0.9",
  "Sec-Fetch-Site": "same-origin",
  "Sec-Fetch-Dest": "empty",
  "Sec-Fetch-Mode": "cors",
  "Sec-CH-UA": '"Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"',
  "Sec-CH-UA-Platform": '"Windows"',
};
const FIREFOX_FIELDS = {
  "User-Agent": FIREFOX,
  "Accept-Language": "en-US,en;q=0.5",
  "Sec-Fetch-Site": "same-origin",
  "Sec-Fetch-Dest": "empty",
};

const client: ClientAddress = { text: "203.0.113.7", family: 4, prefix: "203.0.113.0/24" };
const limits: CaptchaSettings["limits"] = captchaLimits({
  sessions: 1,
  claims: 1,
  sessionsSoft: 30,
  sessionsHard: 300,
});

function headers(fields: Record<string, string | undefined>): HeaderList {
  const list = new HeaderList("", []);
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) list.append(name, value);
  return list;
}

interface Visit {
  seen?: Telemetry | undefined;
  fields?: Record<string, string | undefined>;
  rates?: PrefixRates;
  networks?: string[];
  secure?: boolean;
}

function scoreOf(visit: Visit) {
  const { fields = CHROME_FIELDS, networks = [], secure = true } = visit;
  const seen = "seen" in visit ? visit.seen : telemetry();
  const rates = visit.rates ?? new PrefixRates(new ManualClock(), () => Buffer.alloc(32));
  const evidence = [
    ...browserEvidence(seen),
    ...requestEvidence(headers(fields), { secure, changed: false }),
    ...rateEvidence(rates, client, limits),
    ...hostingEvidence()(client, networks),
  ];
  return combine(evidence, looksHuman(seen));
}
const score = (visit: Visit) => scoreOf(visit).score;

const keyboard = () =>
  telemetry({}, { kind: "keyboard", samples: 0, path_ratio: 1, speed_variation: 0, turns: 0, press_ms: 95 });
const voiceOver = () =>
  telemetry(
    { focused: true },
    {
      kind: "assistive",
      samples: 0,
      path_ratio: 1,
      speed_variation: 0,
      turns: 0,
      press_ms: 0,
      off_centre: 0,
    },
  );

describe("reference vectors of the score", () => {
  it("[A43] a person with a mouse scores at most 0.05", () => {
    expect(score({})).toBeLessThanOrEqual(0.05);
    expect(score({ fields: FIREFOX_FIELDS })).toBeLessThanOrEqual(0.05);
  });

  it("[A43] a person with only a keyboard scores at most 0.10", () => {
    expect(score({ seen: keyboard() })).toBeLessThanOrEqual(0.1);
  });

  it("[A43] VoiceOver, TalkBack and a switch score at most 0.15 when focused and 0.20 otherwise", () => {
    expect(score({ seen: voiceOver() })).toBeLessThanOrEqual(0.15);
    expect(score({ seen: telemetry({ focused: false }, voiceOver().activation) })).toBeLessThanOrEqual(0.2);
  });

  it("[A43] a finger scores at most 0.05", () => {
    const touch = telemetry({}, { kind: "touch", samples: 1, path_ratio: 1, speed_variation: 0, radius: 11 });
    expect(score({ seen: touch })).toBeLessThanOrEqual(0.05);
  });

  it("[V5] a token without a tick has the reason no_tick, gets no credit for a person and scores at most 0.35", () => {
    const seen = telemetry(
      { focused: false, visible: null, load_to_tick_ms: 10, contradictions: ["software_renderer"] },
      { ...keyboard().activation, kind: "code", trusted: false, press_ms: 0, off_centre: 0 },
    );
    const { reasons } = scoreOf({ seen });
    expect(reasons.map(({ code }) => code).sort()).toEqual(["no_tick", "software_renderer"]);
    expect(score({ seen })).toBeCloseTo(1 - 0.8 * 0.85, 10);
    const driven = { ...seen, marks: ["webdriver"] } as typeof seen;
    expect(score({ seen: driven })).toBeGreaterThanOrEqual(0.9);
  });

  it("[A43] Tor Browser with a software renderer, a consistent UA and no client hints scores at most 0.35", () => {
    const seen = telemetry({ contradictions: ["software_renderer"] });
    expect(score({ seen, fields: FIREFOX_FIELDS })).toBeLessThanOrEqual(0.35);
  });

  it("[A43] webdriver alone scores at least 0.90", () => {
    expect(score({ seen: telemetry({ marks: ["webdriver"] }) })).toBeGreaterThanOrEqual(0.9);
  });

  it("[A43] missing telemetry scores at least 0.70", () => {
    expect(score({ seen: undefined })).toBeGreaterThanOrEqual(0.7);
    const curl = { "User-Agent": "curl/8.5.0" };
    expect(score({ seen: undefined, fields: curl })).toBeGreaterThanOrEqual(0.7);
  });

  it("[A43] a stealthy browser with a good path scores below 0.5, and above it at 40 sessions a minute", () => {
    expect(score({})).toBeLessThan(0.5);
    const clock = new ManualClock();
    const rates = new PrefixRates(clock, () => Buffer.alloc(32));
    for (let i = 0; i < 40 * 4; i++) {
      rates.add("session", client, "shop");
      clock.advance(1_500);
    }
    expect(score({ rates })).toBeGreaterThan(0.5);
  });

  it("the burst of a class room scores 0.3", () => {
    const rates = new PrefixRates(new ManualClock(), () => Buffer.alloc(32));
    for (let i = 0; i < 40; i++) rates.add("session", client, "shop");
    expect(scoreOf({ rates })).toEqual({ score: 0.3, reasons: [{ code: "prefix_rate_soft", weight: 0.3 }] });
  });
});

describe("decisive evidence", () => {
  it("[W6] each mark of automation alone scores 0.95, whatever indicates a person", () => {
    for (const mark of [
      "webdriver",
      "webdriver_override",
      "driver_global",
      "driver_attribute",
      "driver_binding",
      "headless_ua",
    ] as const)
      expect([mark, score({ seen: telemetry({ marks: [mark] }) })]).toEqual([mark, 0.95]);
  });

  it("[W6] headers that proxies add are no signal", () => {
    const proxied = {
      "X-Forwarded-For": "1.2.3.4",
      Via: "1.1 proxy",
      Forwarded: "for=1.2.3.4",
      "X-Real-IP": "1.2.3.4",
    };
    expect(score({ fields: { ...CHROME_FIELDS, ...proxied } })).toBe(score({}));
  });

  it("[W12] every mark counts in every tick", () => {
    const seen = telemetry({ marks: ["permissions_differ", "webdriver", "zero_window"] });
    for (let i = 0; i < 50; i++) {
      const { score: found, reasons } = scoreOf({ seen });
      expect([found, reasons.map(({ code }) => code)]).toEqual([
        0.95,
        ["webdriver", "permissions_differ", "zero_window"],
      ]);
    }
  });

  it("a tick by a script scores at least 0.90, a replayed one 0.95, and no credit lowers these floors", () => {
    expect(score({ seen: telemetry({}, { trusted: false }) })).toBeGreaterThanOrEqual(0.9);
    expect(combine(["telemetry_replayed"], true).score).toBe(0.95);
    expect(combine(["telemetry_missing"], true).score).toBe(0.7);
  });

  it("[A68] a covered frame and a hidden one raise the score", () => {
    const clean = score({});
    expect(score({ seen: telemetry({ visible: false }) })).toBeGreaterThan(clean + 0.2);
    expect(score({ seen: telemetry({ hidden_at_tick: true }) })).toBeGreaterThan(clean + 0.2);
    expect(score({ seen: telemetry({ visible: null }) })).toBe(clean);
  });
});

describe("movement and timing of a browser", () => {
  const reasons = (seen: Telemetry) => scoreOf({ seen }).reasons.map(({ code }) => code);
  it.each([
    ["a mouse that did not move", telemetry({}, { samples: 2 }), ["mouse_without_movement"]],
    ["a straight line at one speed", telemetry({}, { path_ratio: 1, speed_variation: 0 }), ["straight_path"]],
    ["a straight line by hand", telemetry({}, { path_ratio: 1.001, speed_variation: 0.4 }), []],
    ["the exact middle", telemetry({}, { off_centre: 0.2 }), ["exact_centre"]],
    ["299 ms", telemetry({ load_to_tick_ms: 299 }), ["tick_at_once"]],
    ["300 ms", telemetry({ load_to_tick_ms: 300 }), ["tick_early"]],
    ["800 ms", telemetry({ load_to_tick_ms: 800 }), []],
    ["a pen without samples", telemetry({}, { kind: "pen", samples: 0 }), []],
  ])("a tick with %s has exactly the expected reasons", (_what, seen, expected) => {
    expect(reasons(seen)).toEqual(expected);
  });
});

describe("evidence of headers", () => {
  const reasons = (fields: Record<string, string | undefined>, secure = true) =>
    scoreOf({ fields, secure }).reasons.map(({ code }) => code);
  const chrome = (changes: Record<string, string | undefined>) => ({ ...CHROME_FIELDS, ...changes });
  const without = { "Sec-Fetch-Site": undefined, "Sec-Fetch-Dest": undefined };

  it.each([
    ["Chrome as it is", chrome({}), []],
    ["Firefox as it is", FIREFOX_FIELDS, []],
    ["Chrome without Fetch Metadata", chrome(without), ["no_sec_fetch"]],
    ["Firefox without Fetch Metadata", { ...FIREFOX_FIELDS, ...without }, ["no_sec_fetch"]],
    ["Fetch Metadata of another site", chrome({ "Sec-Fetch-Site": "cross-site" }), ["wrong_sec_fetch"]],
    ["Fetch Metadata of a document", chrome({ "Sec-Fetch-Dest": "document" }), ["wrong_sec_fetch"]],
    ["client hints of another version", chrome({ "Sec-CH-UA": '"Chromium";v="120"' }), ["client_hints"]],
    ["client hints of another platform", chrome({ "Sec-CH-UA-Platform": '"Linux"' }), ["client_hints"]],
    [
      "client hints of a headless one",
      chrome({ "Sec-CH-UA": '"HeadlessChrome";v="140", "Chromium";v="140"' }),
      ["headless_ua"],
    ],
    [
      "no client hints",
      chrome({ "Sec-CH-UA": undefined, "Sec-CH-UA-Platform": undefined }),
      ["no_client_hints"],
    ],
    ["client hints of Firefox", { ...FIREFOX_FIELDS, "Sec-CH-UA": '"Chromium";v="140"' }, ["client_hints"]],
    ["no language", chrome({ "Accept-Language": undefined }), ["no_accept_language"]],
    ["any language", chrome({ "Accept-Language": "*" }), ["no_accept_language"]],
    ["no UA", { ...FIREFOX_FIELDS, "User-Agent": undefined }, ["no_user_agent"]],
  ])("a request with %s has exactly the expected reasons", (_what, fields, expected) => {
    expect(reasons(fields)).toEqual(expected);
  });

  it("a request without https lacks Fetch Metadata and client hints, which is no reason", () => {
    const bare = chrome({ ...without, "Sec-CH-UA": undefined, "Sec-CH-UA-Platform": undefined });
    expect(reasons(bare, false)).toEqual([]);
  });

  it.each([
    [
      "Safari 16",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.3 Safari/605.1.15",
    ],
    [
      "Chrome on an iPhone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1",
    ],
  ])("%s sends neither Fetch Metadata nor client hints, which is no reason", (_what, agent) => {
    expect(reasons({ "User-Agent": agent, "Accept-Language": "en" })).toEqual([]);
  });
});

describe("history of a network", () => {
  it("failed tasks, rejected tokens and a hosting network each raise the score", () => {
    const clock = new ManualClock();
    const rates = new PrefixRates(clock, () => Buffer.alloc(32));
    expect(score({ rates })).toBe(0);
    for (let i = 0; i < 3; i++) rates.add("task_failed", client, "shop");
    expect(score({ rates })).toBe(0.4);
    rates.add("token_rejected", client, "shop");
    expect(score({ rates })).toBe(0.5);
    expect(score({ rates, networks: ["203.0.113.0/24"] })).toBe(0.65);
    clock.advance(3_700_000);
    expect(score({ rates })).toBe(0);
    expect(score({ networks: ["198.51.100.0/24", "2001:db8::/32"] })).toBe(0);
  });
});
