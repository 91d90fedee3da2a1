import { describe, expect, it } from "vitest";
import { PAGE_POLICY, statisticsPage } from "../../../plugins/captcha/control/page.js";
import type { DecisionRecord, VerificationRecord } from "../../../plugins/captcha/service/contract.js";
import { Statistics } from "../../../plugins/captcha/service/statistics.js";

const decided = (
  decision: DecisionRecord["decision"],
  more: Partial<DecisionRecord> = {},
): DecisionRecord => ({
  ...{ request_id: "r", site_key: "known", hostname: "h", decision, score: 0, threshold: 0.5, reasons: [] },
  ...{ model: "1", activation: "mouse", pow: { bits: 14, ms: 1 }, tasks: [], address_hash: "", browser: "" },
  ...more,
});
const verified = (more: Partial<VerificationRecord>): VerificationRecord => ({
  ...{ request_id: "r", site_key: "known", customer: "c", success: false, ip: "absent" as const },
  ...more,
});
const statistics = () => new Statistics(Date.UTC(2026, 10, 21), (siteKey) => siteKey === "known");
const solved = (ms: number) => decided("token", { tasks: [{ type: "shapes", ok: true, ms }], solved_ms: ms });

describe("statistics", () => {
  it("the statistics begin at zero and name their start", () => {
    expect(statistics().snapshot()).toEqual({
      since: "2026-11-21T00:00:00.000Z",
      total: {
        ...{ issued: 0, solved: 0, challenged: 0, failed: 0, refused: 0, verified: 0 },
        ...{ rejected: {}, time_to_solve_ms: null },
      },
      site_keys: {},
    });
  });

  it("the statistics separate tokens by score from tokens by task, and shown tasks from failed ones", () => {
    const counts = statistics();
    counts.decision(decided("token"));
    counts.decision(decided("shadow"));
    counts.decision(decided("task"));
    counts.decision(decided("again", { tasks: [{ type: "shapes", ok: false, ms: 1 }] }));
    counts.decision(solved(4000));
    counts.decision(decided("refused"));
    const { total, site_keys } = counts.snapshot();
    expect(total).toMatchObject({ issued: 3, solved: 1, challenged: 1, failed: 1, refused: 1 });
    expect(site_keys["known"]).toEqual(total);
  });

  it("the statistics count rejected verifications by reason, or by error without one", () => {
    const counts = statistics();
    counts.verification(verified({ success: true }));
    counts.verification(verified({ error: "invalid_jwt", reason: "expired" }));
    counts.verification(verified({ error: "path_mismatch" }));
    expect(counts.snapshot().total).toMatchObject({
      verified: 1,
      rejected: { expired: 1, path_mismatch: 1 },
    });
  });

  it("the statistics count all unknown site keys in one entry", () => {
    const counts = statistics();
    for (let i = 0; i < 1000; i++) counts.verification(verified({ site_key: `made-up-${i}`, error: "x" }));
    expect(Object.keys(counts.snapshot().site_keys)).toEqual(["(unknown)"]);
  });

  it("the statistics report the time to solve within 19 percent", () => {
    const counts = statistics();
    for (let ms = 1000; ms <= 100_000; ms += 1000) counts.decision(solved(ms));
    const time = counts.snapshot().total.time_to_solve_ms;
    expect(time?.median).toBeGreaterThanOrEqual(50_000);
    expect(time?.median).toBeLessThan(50_000 * 1.19);
    expect(time?.p90).toBeGreaterThanOrEqual(90_000);
    expect(time?.p90).toBeLessThan(90_000 * 1.19);
    counts.decision(solved(10 * 3_600_000));
    expect(counts.snapshot().total.time_to_solve_ms?.median).toBeGreaterThan(0);
  });
});

describe("the page of statistics", () => {
  it("the page of statistics escapes its values", () => {
    const counts = new Statistics(0, () => true);
    counts.verification(verified({ site_key: "<img src=x>", error: 'a"b&c' }));
    const attack = { level: 2, since: "2026-06-01T12:00:00.000Z" };
    const page = statisticsPage({ ...counts.snapshot(), under_attack: { "<b>": attack } });
    expect(page).toContain("<code>&lt;b&gt;</code></td><td>2</td>");
    expect(page).toContain("&lt;img src=x&gt;");
    expect(page).toContain("a&quot;b&amp;c");
    expect(page).not.toContain("<img");
  });

  it("the page of statistics allows only its own style", () => {
    expect(PAGE_POLICY).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]+=*'; base-uri 'none'/);
  });
});
