import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ABSENT,
  botTick,
  CaptchaApi,
  CHROME,
  claimsOf,
  FIREFOX,
  ORIGIN,
  PAGE,
  SITE_KEY,
  siteKey,
  solve,
  telemetry,
  type Visitor,
} from "../../../support/captcha-api.js";
import { captchaLimits } from "../../../support/captcha-limits.js";

let api: CaptchaApi;
let visitor: Visitor;
beforeEach(async () => {
  api = await CaptchaApi.open({
    siteKeys: [
      siteKey(),
      siteKey({ id: "other-widget-2", hostnames: ["other.example"] }),
      siteKey({ id: "local-widget-3", hostnames: ["localhost"] }),
    ],
  });
  visitor = api.visitor();
});
afterEach(() => api.close());

const begun = {
  session: expect.stringMatching(/^[\w-]{22}$/),
  pow: expect.anything(),
  program: expect.anything(),
  ttl_ms: 1_800_000,
};

describe("beginning a session", () => {
  it("a new session has an id and a proof of work of 16 puzzles", async () => {
    const { status, headers, body } = await visitor.begin();
    expect(status).toBe(200);
    expect(body).toEqual({
      ...begun,
      pow: {
        id: expect.stringMatching(/^[\w-]{22}$/),
        salt: expect.stringMatching(/^[0-9a-f]{32}$/),
        bits: 4,
        n: 16,
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it.each([
    [{ site_key: "" }, 400, "missing_sitekey"],
    [{ site_key: "nobody-has-this" }, 403, "invalid_sitekey"],
    [{ site_key: "<script>alert(1)" }, 403, "invalid_sitekey"],
    [{ site_key: "__proto__" }, 403, "invalid_sitekey"],
    [{ origin: "https://evil.example" }, 403, "hostname_not_allowed"],
    [{ origin: "https://shop.example.com.evil.example" }, 403, "hostname_not_allowed"],
    [{ origin: "https://evilshop.example.com" }, 403, "hostname_not_allowed"],
    [{ origin: "null" }, 403, "hostname_not_allowed"],
    [{ origin: "file://shop.example.com" }, 403, "hostname_not_allowed"],
    [{ origin: "https://shop.example.com/" }, 403, "hostname_not_allowed"],
    [{ origin: "https://user@shop.example.com" }, 403, "hostname_not_allowed"],
    [{ origin: "http://localhost:3000" }, 403, "hostname_not_allowed"],
  ])("[W13] a session request with %j is rejected with its own error code", async (fields, status, error) => {
    const { status: got, body } = await visitor.begin(fields);
    expect({ got, body }).toEqual({ got: status, body: { error, retryable: false } });
  });

  it("a disabled site key and one of a disabled customer are unknown", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ enabled: false })]));
    expect((await visitor.begin()).body["error"]).toBe("invalid_sitekey");
    api.configure((next) => {
      next.siteKeys = [siteKey()];
      next.customers = [{ id: "shop", enabled: false }];
    });
    expect((await visitor.begin()).body["error"]).toBe("invalid_sitekey");
  });

  it.each(["https://shop.example.com", "http://shop.example.com:8080", "https://a.b.shop.example.com"])(
    "%s may show the widget: the listed host, its subdomains, any scheme and port",
    async (origin) => {
      expect((await visitor.begin({ origin })).status).toBe(200);
    },
  );

  it.each([
    ["[::1]", "http://[::1]:3000"],
    ["::1", "http://[::1]"],
    ["192.0.2.7", "http://192.0.2.7:8080"],
    ["full.example.", "https://full.example"],
    ["full.example", "https://full.example."],
    ["XN--E1AFMKFD.example", "https://пример.example"],
  ])("the listed host %s allows %s", async (host, page) => {
    api.configure((next) => (next.siteKeys = [siteKey({ hostnames: [host] })]));
    const { origin } = new URL(page);
    expect((await visitor.begin({ origin })).status).toBe(200);
    expect((await visitor.begin({ origin: "https://other.example" })).status).toBe(403);
  });

  it("localhost may show the widget when it is listed", async () => {
    const answer = await visitor.begin({ site_key: "local-widget-3", origin: "http://localhost:3000" });
    expect(answer.body).toEqual({ ...begun });
  });

  it("a network above its hard limit gets 429 at every site key, and other networks pass", async () => {
    const limits = captchaLimits({ sessions: 1_000, claims: 1_000, sessionsSoft: 2, sessionsHard: 4 });
    api.configure((next) => (next.settings.limits = limits));
    for (let i = 0; i < 4; i++) expect((await visitor.begin()).status).toBe(200);
    const refused = await visitor.begin({ site_key: "other-widget-2", origin: "https://other.example" });
    expect(refused).toMatchObject({
      status: 429,
      body: { error: "rate_limited", retryable: true, retry_after_ms: 10_000 },
    });
    expect(refused.headers.get("retry-after")).toBe("10");
    expect((await api.visitor({ address: "203.0.113.200" }).begin()).status).toBe(429);
    expect((await api.visitor({ address: "203.0.114.1" }).begin()).status).toBe(200);
    api.clock.advance(80_000);
    expect((await visitor.begin()).status).toBe(200);
  });

  it("[A42] the network is the one that the trusted proxy saw, not one that the client wrote before it", async () => {
    const limits = captchaLimits({ sessions: 1_000, claims: 1_000, sessionsSoft: 1, sessionsHard: 2 });
    api.configure((next) => (next.settings.limits = limits));
    const spoofing = (n: number) => api.visitor({ address: `198.51.100.${n}, 192.0.2.${n}, 203.0.113.9` });
    expect([await spoofing(1).begin(), await spoofing(2).begin()].map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect((await spoofing(3).begin()).status).toBe(429);
    const six = (host: string) => api.visitor({ address: `2001:db8:12:34${host}::1` });
    expect([await six("00").begin(), await six("01").begin()].map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect((await six("ff").begin()).status).toBe(429);
    expect((await api.visitor({ address: "2001:db8:12:3500::1" }).begin()).status).toBe(200);
  });

  it("a session costs one more bit above the soft limit and two when that lasts", async () => {
    const limits = captchaLimits({ sessions: 1_000, claims: 1_000, sessionsSoft: 3, sessionsHard: 100 });
    api.configure((next) => (next.settings.limits = limits));
    const bits = [];
    for (let i = 0; i < 13; i++) {
      await visitor.begin();
      bits.push(visitor.pow?.bits);
    }
    expect(bits).toEqual([4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6]);
  });
});

describe("requests that the API rejects at once", () => {
  const body = { site_key: SITE_KEY, origin: PAGE };
  it.each([
    ["another origin", { Origin: "https://evil.example" }, 403],
    ["the page's origin", { Origin: PAGE }, 403],
    ["our origin over http", { Origin: "http://captcha.example.net" }, 403],
    ["our origin on another port", { Origin: `${ORIGIN}:444` }, 403],
    ["a null origin", { Origin: "null" }, 403],
    ["a form", { "Content-Type": "text/plain" }, 415],
    ["another charset", { "Content-Type": "application/json; charset=utf-16" }, 415],
  ])("[A67] the API rejects a request with %s", async (_what, headers, status) => {
    const answer = await visitor.call("/session", body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status, body: { error: "invalid_request", retryable: false } });
  });

  it("the API rejects a request without an origin and methods other than POST", async () => {
    const url = `${visitor.url}/api/v1/session`;
    const headers = { "Content-Type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status).toBe(403);
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const answer = await fetch(url, { method, headers: { Origin: ORIGIN } });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
    }
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1e999"],
    ["not UTF-8", '{"site_key":"\\ud800'],
    ["a field that nobody asked for", JSON.stringify({ ...body, extra: 1 })],
    ["a prototype key", `{"site_key":"${SITE_KEY}","origin":"${PAGE}","__proto__":{"x":1}}`],
    ["a constructor", `{"site_key":"${SITE_KEY}","origin":"${PAGE}","constructor":{}}`],
    ["a number for a text", JSON.stringify({ ...body, site_key: 7 })],
    ["a list for a text", JSON.stringify({ ...body, site_key: [SITE_KEY] })],
    ["a long site key", JSON.stringify({ ...body, site_key: "k".repeat(65) })],
    ["an action of other characters", JSON.stringify({ ...body, action: "<b>" })],
    ["an action of 33 characters", JSON.stringify({ ...body, action: "a".repeat(33) })],
    ["null for an action", JSON.stringify({ ...body, action: null })],
    ["an origin of 301 characters", JSON.stringify({ ...body, origin: `https://${"a".repeat(293)}` })],
    ["15,000 brackets", "[".repeat(15_000)],
  ])("the API rejects a body with %s", async (_what, text) => {
    const answer = await visitor.call("/session", text);
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", retryable: false } });
  });

  it("[A29] no response repeats what was sent", async () => {
    const mark = "echo-7f3a";
    const answers = [
      await visitor.begin({ site_key: mark }),
      await visitor.begin({ origin: `https://${mark}.example` }),
      await visitor.call("/session", `{"${mark}":1}`),
      await visitor.call("/score", { session: mark }),
      await visitor.call(`/task/${mark}/answer`, {}),
    ];
    for (const { body, headers } of answers) expect(JSON.stringify([body, [...headers]])).not.toContain(mark);
  });
});

describe("the tick", () => {
  it("[A31] a tick without a session, with an unknown one or with an expired one is rejected", async () => {
    await visitor.begin();
    const pow = visitor.pow && solve(visitor.pow);
    expect((await visitor.call("/score", { pow, telemetry: telemetry() })).status).toBe(400);
    const unknown = await visitor.call("/score", { session: "A".repeat(22), pow, telemetry: telemetry() });
    expect(unknown).toMatchObject({ status: 410, body: { error: "session_expired", retryable: true } });
    api.clock.advance(1_800_000);
    expect((await visitor.tick()).status).toBe(410);
  });

  it("[A31] work that is missing, wrong, short, long, doubled or another session's gets no score", async () => {
    const other = api.visitor();
    await other.begin({ site_key: "other-widget-2", origin: "https://other.example" });
    const foreign = other.pow && solve(other.pow);
    const wrong: [string, (answers: number[]) => unknown, number][] = [
      ["missing", () => undefined, 400],
      ["wrong", (answers) => answers.map((x) => x + 1), 400],
      ["short", (answers) => answers.slice(1), 400],
      ["long", (answers) => [...answers, 1], 400],
      ["doubled", (answers) => answers.map(() => answers[0]), 400],
      ["text", (answers) => answers.map(String), 400],
    ];
    for (const [what, change, status] of wrong) {
      await visitor.begin();
      const solved = visitor.pow ? solve(visitor.pow) : undefined;
      const answers = change(solved?.answers ?? []);
      const pow = answers === undefined ? undefined : { ...solved, answers };
      const { status: got } = await visitor.call("/score", {
        session: visitor.session,
        pow,
        telemetry: telemetry(),
      });
      expect([what, got]).toEqual([what, status]);
    }
    await visitor.begin();
    const stolen = await visitor.call("/score", {
      session: visitor.session,
      pow: foreign,
      telemetry: telemetry(),
    });
    expect(stolen.status).toBe(410);
  });

  it("[A31] work counts once: neither a second tick nor a second try with the same challenge passes", async () => {
    await visitor.begin();
    const pow = visitor.pow && solve(visitor.pow);
    const wrong = { ...pow, answers: pow?.answers.map((x) => x + 1) };
    expect(
      (await visitor.call("/score", { session: visitor.session, pow: wrong, telemetry: telemetry() })).status,
    ).toBe(400);
    expect(
      (await visitor.call("/score", { session: visitor.session, pow, telemetry: telemetry() })).status,
    ).toBe(410);
    await visitor.begin();
    expect((await visitor.tick(botTick())).body["outcome"]).toBe("task");
    expect((await visitor.tick()).status).toBe(410);
  });

  it("[A31] of three simultaneous ticks with the same work, one is scored", async () => {
    await visitor.begin();
    const answers = await Promise.all([visitor.tick(), visitor.tick(), visitor.tick()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  });

  it("[A32] missing and malformed telemetry lead to a task", async () => {
    const strange: unknown[] = [
      ABSENT,
      null,
      7,
      [],
      {},
      { ...telemetry(), v: 2 },
      { ...telemetry(), extra: 1 },
      { ...telemetry(), marks: ["not-a-mark"] },
      { ...telemetry(), marks: new Array(17).fill("webdriver") },
      telemetry({}, { samples: 61 }),
      telemetry({}, { path_ratio: Number.NaN }),
      telemetry({ load_to_tick_ms: -1 }),
      JSON.parse('{"__proto__":{"v":1}}'),
    ];
    for (const seen of strange) {
      await visitor.begin();
      expect([seen, (await visitor.tick(seen)).body["outcome"]]).toEqual([seen, "task"]);
    }
    await visitor.begin();
    const pow = JSON.stringify(visitor.pow && solve(visitor.pow));
    const deep = `${'{"v":'.repeat(200)}1${"}".repeat(200)}`;
    const text = `{"session":"${visitor.session}","pow":${pow},"telemetry":${deep}}`;
    expect((await visitor.call("/score", text)).body["outcome"]).toBe("task");
  });

  it("[A32] 100 kB of telemetry get 413, and the session survives", async () => {
    await visitor.begin();
    const answer = await visitor.call("/score", { session: visitor.session, telemetry: "x".repeat(100_000) });
    expect(answer).toMatchObject({ status: 413, body: { error: "invalid_request" } });
    expect((await visitor.tick()).status).toBe(200);
  });

  it("[A32] a tick that is sent again in another session is a replay, from any network", async () => {
    const seen = telemetry();
    expect((await visitor.arrive(seen)).body["outcome"]).toBe("token");
    expect((await visitor.arrive(seen)).body["outcome"]).toBe("task");
    const reordered = Object.fromEntries(Object.entries(seen).reverse());
    expect((await api.visitor({ address: "198.51.100.1" }).arrive(reordered)).body["outcome"]).toBe("task");
  });

  it("two people at a keyboard may tick alike in different networks but not in the same one", async () => {
    const keys = telemetry(
      { load_to_tick_ms: 3_000 },
      { kind: "keyboard", samples: 0, path_ratio: 1, press_ms: 80 },
    );
    expect((await visitor.arrive(keys)).body["outcome"]).toBe("token");
    expect((await api.visitor({ address: "198.51.100.1" }).arrive(keys)).body["outcome"]).toBe("token");
    expect((await visitor.arrive(keys)).body["outcome"]).toBe("task");
  });

  it("[A46] another browser or network cannot use the session and does not destroy it", async () => {
    for (const thief of [{ agent: CHROME }, { address: "198.51.100.1" }, { agent: "curl/8.5" }]) {
      await visitor.begin();
      const other = api.visitor(thief);
      other.session = visitor.session;
      other.pow = visitor.pow;
      expect((await other.tick()).body["error"]).toBe("session_expired");
      expect((await visitor.tick()).body["outcome"]).toBe("token");
    }
  });

  it("[A46] another version of the same browser raises the score", async () => {
    api.configure((next) => (next.siteKeys = [siteKey({ threshold: 0.4 })]));
    await visitor.begin();
    const other = api.visitor({ agent: FIREFOX.replaceAll("140.0", "141.0") });
    other.session = visitor.session;
    other.pow = visitor.pow;
    expect((await other.tick(telemetry({}, { samples: 1 }))).body["outcome"]).toBe("task");
    await visitor.begin();
    expect((await visitor.tick(telemetry({}, { samples: 1 }))).body["outcome"]).toBe("token");
  });

  it("a site key that was disabled after the session began gives no token", async () => {
    await visitor.begin();
    api.configure((next) => (next.siteKeys = [siteKey({ enabled: false })]));
    expect((await visitor.tick()).body["error"]).toBe("invalid_sitekey");
  });

  it("two addresses of one network are one visitor", async () => {
    await visitor.begin();
    const moved = api.visitor({ address: "203.0.113.99" });
    moved.adopt(visitor);
    expect(claimsOf((await moved.tick()).body["token"])).toMatchObject({ how: "score" });
  });
});
