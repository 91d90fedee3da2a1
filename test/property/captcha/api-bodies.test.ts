import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  botTick,
  CaptchaApi,
  PAGE,
  SITE_KEY,
  solve,
  telemetry,
  trail,
  type Visitor,
} from "../../support/captcha-api.js";

let api: CaptchaApi;
let visitor: Visitor;
beforeAll(async () => {
  api = await CaptchaApi.open({ direct: true });
  visitor = api.visitor();
});
afterAll(() => api.close());

const PATHS = ["/session", "/score", "/task/next", `/task/${"A".repeat(22)}/answer`];
/** Checks that nonsense yields no token and no details. */
const harmless = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  expect([200, 400, 403, 410, 429]).toContain(status);
  expect(body["token"]).toBeUndefined();
  if (status !== 200)
    expect(Object.keys(body).sort().join()).toMatch(/^error,retry(?:able|_after_ms,retryable)$/);
};

/** JSON with one value somewhere in it replaced, removed or added. */
function changed(value: unknown, path: readonly number[], bad: unknown): unknown {
  if (typeof value !== "object" || value === null || path.length === 0) return bad;
  const copy: Record<string, unknown> = { ...value };
  const names = Object.keys(copy);
  const [at = 0, ...rest] = path;
  const name = names[at % (names.length + 1)] ?? "added";
  copy[name] = name === "added" ? bad : changed(copy[name], rest, bad);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

const odd = fc.oneof(
  fc.constantFrom(null, "", "x", "x".repeat(70), -1, 0, 1.5, 1e308, 2 ** 53, true, [], {}, [[]], [null]),
  fc.constant(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')),
  fc.jsonValue(),
);
const place = fc.array(fc.nat(12), { minLength: 1, maxLength: 4 });

describe("bodies of the frame API", () => {
  it("any JSON gets a response without a token, and errors have no details", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), fc.jsonValue(), async (path, body) => {
        harmless(await visitor.call(path, body));
      }),
      { numRuns: 300 },
    );
  });

  it("[A31] [A32] a tick with another session or proof of work than the real one gets no token", async () => {
    await fc.assert(
      fc.asyncProperty(place, odd, async (path, bad) => {
        await visitor.begin();
        const pow = visitor.pow && solve(visitor.pow);
        const body = { session: visitor.session, pow, telemetry: telemetry() };
        const sent = changed(body, path, bad) as typeof body;
        const answer = await visitor.call("/score", sent);
        const same = JSON.stringify([sent?.session, sent?.pow?.id, sent?.pow?.answers]);
        if (same !== JSON.stringify([body.session, pow?.id, pow?.answers])) harmless(answer);
        else expect([200, 400]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
  });

  it("[A35] an answer with one changed value gets no token", async () => {
    await visitor.arrive(botTick());
    await visitor.next("shapes");
    await fc.assert(
      fc.asyncProperty(place, odd, async (path, bad) => {
        const body = { session: visitor.session, reply: { cells: [11, 10, 9] }, trail: trail() };
        harmless(await visitor.call(`/task/${visitor.task}/answer`, changed(body, path, bad)));
      }),
      { numRuns: 300 },
    );
  });

  it("a session begins only for a site key and a page that belong together", async () => {
    await fc.assert(
      fc.asyncProperty(place, odd, async (path, bad) => {
        const sent = changed({ site_key: SITE_KEY, origin: PAGE, action: "a" }, path, bad);
        const answer = await visitor.call("/session", sent);
        const { site_key, origin } = (sent ?? {}) as Record<string, unknown>;
        if (site_key !== SITE_KEY || origin !== PAGE) harmless(answer);
        if (site_key !== SITE_KEY || origin !== PAGE) expect(answer.status).not.toBe(200);
      }),
      { numRuns: 300 },
    );
  });

  it("malformed bodies do not pollute Object.prototype", () => {
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
