import type { CaptchaSettings, StatePlace } from "../../plugins/captcha/service/contract.js";

type Limits = CaptchaSettings["limits"];

/** Limits that no test meets by accident: one network may have everything, since tests come from loopback. */
export const captchaLimits = (changes: Partial<Limits> = {}): Limits => ({
  sessions: 1_000,
  sessionBytes: 16_777_216,
  answerBytes: 16_777_216,
  pictureBytes: 67_108_864,
  networkShare: 100,
  claims: 10_000,
  sessionsSoft: 1_000,
  sessionsHard: 2_000,
  ...changes,
});

/** Where a test's entry is counted. */
export const place = (kind: StatePlace["kind"] = "session", network = "n1", idle = false): StatePlace => ({
  kind,
  network,
  idle,
});
