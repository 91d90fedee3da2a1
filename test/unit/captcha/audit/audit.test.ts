import "../../../../plugins/runtime.js";
import { afterEach, describe, expect, it } from "vitest";
import { CaptchaAudit } from "../../../../plugins/captcha/service/audit/audit.js";
import type { DecisionRecord, VerificationRecord } from "../../../../plugins/captcha/service/contract.js";
import { MetricsRegistry } from "../../../../runtime/abi/metrics-registry.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { LineServer } from "../../../support/line-server.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const decision = (changes: Partial<DecisionRecord> = {}): DecisionRecord => ({
  request_id: "req_aaaaaaaaaaaaaaaaaaaaaaaaaa",
  site_key: "shop-widget-01",
  hostname: "shop.example.com",
  decision: "token",
  score: 0.12,
  threshold: 0.5,
  reasons: [{ code: "tick_early", weight: 0.2 }],
  model: "2026-11.1",
  activation: "mouse",
  pow: { bits: 14, ms: 90 },
  tasks: [],
  solved_ms: 800,
  address_hash: "h".repeat(22),
  browser: "Firefox 140",
  ...changes,
});
const verification = (changes: Partial<VerificationRecord> = {}): VerificationRecord => ({
  request_id: "req_aaaaaaaaaaaaaaaaaaaaaaaaaa",
  site_key: "shop-widget-01",
  customer: "shop",
  success: true,
  ip: "same",
  ...changes,
});

function opened(mostRecords?: number) {
  const metrics = new MetricsRegistry();
  const audit = new CaptchaAudit({
    clock: new ManualClock(),
    metrics,
    report: () => {},
    isKnown: (id) => id === "shop-widget-01",
    ...(mostRecords === undefined ? {} : { mostRecords }),
  });
  closing.push(() => audit.close(1_000));
  return { audit, metrics };
}

const series = (metrics: MetricsRegistry, name: string) =>
  metrics
    .snapshot()
    .find((family) => family.name === name)
    ?.series.map(({ labels, value }) => [...Object.values(labels), value]);

describe("audit records", () => {
  it("[A28] audit records hold the fields of the contract and nothing else that was passed in", () => {
    const { audit } = opened();
    const careless = {
      ...decision(),
      user_agent: "Mozilla/5.0 (X11; Linux) secret-ua",
      address: "203.0.113.7",
      token: "eyJ.secret.token",
      answer: { cells: [1, 2, 3] },
      trail: { steps: [1, 2] },
      reasons: [{ code: "tick_early", weight: 0.2, address: "203.0.113.7" }],
      tasks: [{ type: "shapes" as const, ok: true, ms: 900, answer: [1, 2, 3] }],
    };
    audit.decision(careless);
    audit.verification({
      ...verification(),
      jwt: "eyJ.secret.token",
      address: "203.0.113.7",
    } as VerificationRecord);
    const text = JSON.stringify(audit.find(careless.request_id));
    expect(text).not.toMatch(/secret|203\.0\.113|cells|steps|\[1,2,3\]/);
    expect(JSON.parse(text).decisions[0]).toEqual({
      time: "2026-06-01T12:00:00.000Z",
      ...decision({ tasks: [{ type: "shapes", ok: true, ms: 900 }] }),
    });
  });

  it("an audit record holds at most 8 reasons and 20 tasks", () => {
    const { audit } = opened();
    const reasons = Array.from({ length: 12 }, (_, i) => ({ code: `r${i}`, weight: 1 }));
    const tasks = Array.from({ length: 50 }, (_, i) => ({ type: "rings" as const, ok: false, ms: i }));
    audit.decision(decision({ reasons, tasks }));
    const [found] = audit.find(decision().request_id)?.decisions ?? [];
    expect([found?.reasons.length, found?.tasks.length, found?.tasks.at(-1)?.ms]).toEqual([8, 20, 49]);
  });

  it("the audit returns the decisions of a request in order and the verifications of its token", () => {
    const { audit } = opened();
    audit.decision(decision({ decision: "task" }));
    audit.decision(decision({ decision: "token" }));
    audit.verification(verification());
    audit.verification(verification({ success: false, error: "invalid_jwt", reason: "already_used" }));
    expect(audit.find(decision().request_id)).toMatchObject({
      decisions: [{ decision: "task" }, { decision: "token" }],
      verifications: [{ success: true }, { success: false, reason: "already_used" }],
    });
    expect(audit.find("req_unknown")).toBeUndefined();
  });

  it("the audit drops the oldest request first, and of one request the records in the middle", () => {
    const { audit } = opened(15);
    for (let i = 0; i < 18; i++) audit.decision(decision({ request_id: `req_${i}` }));
    const known = () =>
      Array.from({ length: 18 }, (_, i) => i).filter((i) => audit.find(`req_${i}`) !== undefined);
    expect(known()).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
    for (let i = 0; i < 1_000; i++)
      audit.decision(decision({ request_id: "req_17", decision: "again", score: i / 1_000 }));
    const scores = audit.find("req_17")?.decisions.map(({ score }) => score) ?? [];
    expect(scores).toHaveLength(12);
    expect([scores[0], scores.at(-1)]).toEqual([0.12, 0.999]);
    expect(known()).toEqual([14, 15, 16, 17]);
  });

  it("the audit stores no verification of a request that only a token claims", () => {
    const { audit } = opened();
    audit.verification(verification({ request_id: "req_forged" }));
    expect(audit.find("req_forged")).toBeUndefined();
  });
});

describe("counters", () => {
  it("the counters have labels from closed lists, also when requests name unknown site keys", () => {
    const { audit, metrics } = opened();
    audit.decision(decision({ decision: "task", score: 0.95, solved_ms: undefined as never }));
    audit.decision(decision({ decision: "again", tasks: [{ type: "shapes", ok: false, ms: 9 }] }));
    audit.decision(decision({ tasks: [{ type: "rings", ok: true, ms: 9 }], solved_ms: 12_000 }));
    audit.verification(verification());
    for (let i = 0; i < 100; i++)
      audit.verification(verification({ site_key: `guess-${i}`, success: false, error: "path_mismatch" }));
    expect(series(metrics, "gw_captcha_decisions_total")).toEqual([
      ["shop-widget-01", "task", 1],
      ["shop-widget-01", "again", 1],
      ["shop-widget-01", "token", 1],
    ]);
    expect(series(metrics, "gw_captcha_tasks_total")).toEqual([
      ["shapes", "failed", 1],
      ["rings", "solved", 1],
    ]);
    expect(series(metrics, "gw_captcha_verifications_total")).toEqual([
      ["shop-widget-01", "success", 1],
      ["", "path_mismatch", 100],
    ]);
    expect(series(metrics, "gw_captcha_solve_seconds")).toEqual([[12]]);
  });

  it("the statistics count issued, solved, failed, verified and rejected tokens and the time to solve", () => {
    const { audit } = opened();
    audit.decision(decision());
    audit.decision(decision({ decision: "again", tasks: [{ type: "shapes", ok: false, ms: 9 }] }));
    audit.decision(decision({ tasks: [{ type: "rings", ok: true, ms: 9 }], solved_ms: 12_000 }));
    audit.verification(verification());
    audit.verification(verification({ success: false, error: "invalid_jwt", reason: "expired" }));
    expect(audit.statistics().total).toMatchObject({
      issued: 2,
      solved: 1,
      failed: 1,
      verified: 1,
      rejected: { expired: 1 },
      time_to_solve_ms: { median: expect.any(Number), p90: expect.any(Number) },
    });
  });
});

describe("shipping", () => {
  it("the audit sends each record as one syslog message with facility 13", async () => {
    const server = await LineServer.start();
    closing.push(() => server.stop());
    const { audit } = opened();
    audit.send([{ kind: "syslog", settings: { host: "127.0.0.1", port: server.port, batch_max_size: 1 } }]);
    audit.decision(decision({ hostname: "xn--80ak6aa92e.example" }));
    audit.verification(verification({ success: false, error: "invalid_jwt", reason: "expired" }));
    const records = await server.records(2);
    expect(records).toMatchObject([
      {
        time: "2026-06-01T12:00:00.000Z",
        event: "captcha_decision",
        score: 0.12,
        hostname: "xn--80ak6aa92e.example",
      },
      { time: "2026-06-01T12:00:00.000Z", event: "captcha_verification", reason: "expired", ip: "same" },
    ]);
    expect(server.lines[0]).toMatch(/^<110>1 2026-06-01T12:00:00\.000Z \S+ gwc-captcha \d+ decision - \{/);
    expect(server.lines[1]).toMatch(/ verification - \{/);
  });

  it("a change of the destination sends pending records to the old one and new records to the new one", async () => {
    const [first, second] = [await LineServer.start(), await LineServer.start()];
    closing.push(
      () => first.stop(),
      () => second.stop(),
    );
    const { audit } = opened();
    const to = ({ port }: LineServer) => [{ kind: "syslog" as const, settings: { host: "127.0.0.1", port } }];
    audit.send(to(first));
    audit.decision(decision({ request_id: "req_1" }));
    audit.send(to(first));
    audit.send(to(second));
    audit.decision(decision({ request_id: "req_2" }));
    expect(await first.records(1)).toMatchObject([{ request_id: "req_1" }]);
    await audit.close(2_000);
    expect(await second.records(1)).toMatchObject([{ request_id: "req_2" }]);
  });

  it("the audit never waits for a destination that is down", () => {
    const { audit } = opened();
    audit.send([{ kind: "syslog", settings: { host: "127.0.0.1", port: 1 } }]);
    for (let i = 0; i < 10_000; i++) audit.decision(decision());
    expect(audit.statistics().total.issued).toBe(10_000);
  });
});
