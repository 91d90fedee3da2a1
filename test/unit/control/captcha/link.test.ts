import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_CAPTCHA } from "../../../../plugins/captcha/captcha-table.js";
import { CaptchaLink, CaptchaUnavailableError } from "../../../../plugins/captcha/control/link.js";
import { type CaptchaSection, captchaOf } from "../../../../plugins/captcha/control/settings.js";
import type { FromCaptcha, ToCaptcha } from "../../../../plugins/captcha/service/messages.js";
import { WorkerMetrics } from "../../../../runtime/control/metrics/worker-metrics.js";
import { countersOf } from "../../../../runtime/control/services.js";
import { switchLog } from "../../../../runtime/process/log.js";
import type { IsStarved } from "../../../../runtime/process/starvation.js";

beforeEach(() => {
  switchLog(false);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  switchLog(true);
});

const around = { directory: "/srv", storeDirectory: "/srv/store", trustedAddresses: [] };
const deployment = captchaOf({ secret: "a secret of this test" }, around);

function linked(isStarved: IsStarved = () => false) {
  const metrics = new WorkerMetrics();
  const parts = {
    deployment,
    table: () => NO_CAPTCHA,
    resolve: () => undefined,
    adminKeys: () => [],
    counters: countersOf(metrics, 0),
    starvation: () => isStarved,
  };
  return { link: new CaptchaLink(parts), metrics };
}

/** Captcha that replies when the test says so. */
function peerOf(link: CaptchaLink, pid = 1) {
  const heard: ToCaptcha[] = [];
  const attached = link.attach({ send: (message) => heard.push(message) });
  attached.hear({ type: "hello", pid });
  const last = () => heard.at(-1);
  const number = () => (last() as { number: number }).number;
  const answer = (message: FromCaptcha) => attached.hear(message);
  return {
    ...attached,
    heard,
    last,
    number,
    answer,
    took: () => answer({ type: "configured", number: number() }),
  };
}
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("control's end of the link to the captcha", () => {
  it("the link sends a captcha its configuration after its hello, with derived keys but without the secret", async () => {
    const { link } = linked();
    const peer = peerOf(link);
    const [message] = peer.heard;
    expect(message).toMatchObject({ type: "configuration", configuration: { siteKeys: [], apiKeys: [] } });
    expect(JSON.stringify(message)).not.toContain("a secret of this test");
    expect(link.summary.up).toBe(false);
    peer.took();
    await settled();
    expect(link.summary).toEqual({ up: true });
  });

  it("the link delays a write for at most 2 s until the captcha has applied it, and not without a captcha", async () => {
    const { link } = linked();
    await link.publish();
    const peer = peerOf(link);
    peer.took();
    await settled();
    let done = false;
    void link.publish().then(() => (done = true));
    await vi.advanceTimersByTimeAsync(1999);
    expect([done, link.summary.up]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toBe(true);
    expect(link.summary).toEqual({ up: false, reason: "it did not confirm the last change" });
    peer.took();
    expect(link.summary.up).toBe(true);
  });

  it("the link delays a write for at most 10 s for a captcha that is starved of CPU, which counts as up", async () => {
    const { link } = linked(() => true);
    const peer = peerOf(link);
    peer.took();
    await settled();
    let done = false;
    void link.publish().then(() => (done = true));
    await vi.advanceTimersByTimeAsync(9_999);
    expect([done, link.summary.up]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toBe(true);
    expect(link.summary).toEqual({ up: false, reason: "it did not confirm the last change" });
  });

  it("the link waits 25 s for the reply of a captcha that is starved of CPU", async () => {
    const { link } = linked(() => true);
    const peer = peerOf(link);
    peer.took();
    const late = link.ask({ about: "rotation" });
    await vi.advanceTimersByTimeAsync(24_000);
    peer.answer({ type: "answer", number: peer.number(), value: { kid: "k" } });
    expect(await late).toEqual({ kid: "k" });
    const silent = expect(link.ask({ about: "statistics" })).rejects.toThrow("did not reply within 25000 ms");
    await vi.advanceTimersByTimeAsync(25_000);
    await silent;
  });

  it("the link ignores a reply about an earlier change", async () => {
    const { link } = linked();
    const peer = peerOf(link);
    const first = peer.number();
    void link.publish();
    peer.answer({ type: "configured", number: first });
    await settled();
    expect(link.summary.up).toBe(false);
    peer.took();
    await settled();
    expect(link.summary.up).toBe(true);
  });

  it("the link reports why a captcha rejects its configuration, even after its end, until one serves", async () => {
    const { link } = linked();
    const peer = peerOf(link);
    peer.answer({ type: "configured", number: peer.number(), refused: "the disk is full" });
    await settled();
    expect(link.summary).toEqual({ up: false, reason: "the disk is full" });
    peer.gone();
    expect(link.summary.reason).toBe("the disk is full");
    const next = peerOf(link, 2);
    expect(link.summary.reason).toBe("the disk is full");
    next.took();
    await settled();
    expect(link.summary).toEqual({ up: true });
  });

  it("the link accepts replies out of order, and a call fails if the captcha ends, is silent or is absent", async () => {
    const { link } = linked();
    await expect(link.ask({ about: "rotation" })).rejects.toThrow(CaptchaUnavailableError);
    const peer = peerOf(link);
    peer.took();
    const rotation = link.ask({ about: "rotation" });
    const rotationNumber = peer.number();
    const decision = link.ask({ about: "decision", requestId: "r" });
    peer.answer({ type: "answer", number: peer.number(), value: null });
    peer.answer({ type: "answer", number: rotationNumber, value: { kid: "k" } });
    expect([await rotation, await decision]).toEqual([{ kid: "k" }, null]);

    const failing = expect(link.ask({ about: "rotation" })).rejects.toThrow("the store is full");
    peer.answer({ type: "failed", number: peer.number(), reason: "the store is full" });
    await failing;
    const silent = expect(link.ask({ about: "statistics" })).rejects.toThrow("did not reply within 5000 ms");
    await vi.advanceTimersByTimeAsync(5000);
    await silent;
    const ended = expect(link.ask({ about: "statistics" })).rejects.toThrow("the captcha exited");
    peer.gone();
    await ended;
    expect(link.summary).toEqual({ up: false, reason: "it exited and is being restarted" });
  });

  it("the link ignores a captcha that another has replaced", async () => {
    const { link } = linked();
    const [old, fresh] = [peerOf(link, 1), peerOf(link, 2)];
    fresh.took();
    await settled();
    old.answer({ type: "configured", number: fresh.number(), refused: "late" });
    old.gone();
    expect(link.summary).toEqual({ up: true });
  });

  it("the link keeps the counters of an ended captcha, so that sums never fall", async () => {
    const { link, metrics } = linked();
    const counted = (value: number): FromCaptcha => ({
      type: "metrics",
      families: [{ name: "gw_x", help: "x", type: "counter", series: [{ labels: {}, value }] }],
    });
    const first = peerOf(link, 1);
    first.answer(counted(5));
    first.gone();
    peerOf(link, 2).answer(counted(2));
    const collecting = metrics.collect(100);
    await vi.advanceTimersByTimeAsync(100);
    expect((await collecting)[0]?.series).toEqual([{ labels: {}, value: 7 }]);
  });

  it("the link applies changed settings of a reload except those that need a restart", async () => {
    const { link } = linked();
    const peer = peerOf(link);
    const section = {
      secret: "another secret of it",
      store: { type: "memory" as const },
      testing: { enabled: true },
    };
    const other = captchaOf(section, around);
    void link.update(other);
    expect(peer.last()).toMatchObject({
      configuration: { settings: { testing: true, store: deployment.settings.store } },
    });
    const secrets = (message: ToCaptcha | undefined) =>
      message?.type === "configuration" ? message.configuration.secrets : undefined;
    expect(secrets(peer.last())).toEqual(secrets(peer.heard[0]));
  });

  it("the link logs settings that need a restart at each reload, until they are as before", () => {
    const { link } = linked();
    switchLog(true);
    const lines: string[] = [];
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    const told = (section: CaptchaSection) => {
      lines.length = 0;
      const next = captchaOf({ secret: "a secret of this test", ...section }, around);
      void link.update(next);
      return lines.flatMap((line) => (JSON.parse(line) as { settings: string[] }).settings);
    };
    try {
      const other = { secret: "another secret of it", limits: { sessions: 500 } };
      expect(told(other)).toEqual(["captcha.limits", "captcha.secret"]);
      expect(told(other)).toEqual(["captcha.limits", "captcha.secret"]);
      expect(told({})).toEqual([]);
    } finally {
      stderr.mockRestore();
    }
  });
});
