import type { CaptchaSettings, PriceSettings, StatePlace } from "../../plugins/captcha/service/contract.js";

type Limits = CaptchaSettings["limits"];

/**
 * Limits that no test reaches by accident. One network may use all of them, because tests connect from
 * loopback.
 */
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

const PLENTY = { burst: 1_000_000_000, hourly: 1_000_000_000 };

/** Prices without accidental effects: everything is free, and nothing counts as an attack. */
export const captchaPrices = (changes: Partial<PriceSettings> = {}): PriceSettings => ({
  free: PLENTY,
  work: PLENTY,
  task: PLENTY,
  audio: PLENTY,
  patience: PLENTY,
  patienceMs: 30_000,
  patienceBits: 4,
  partShare: 100,
  networks: 10_000,
  site: PLENTY,
  attackFloor: 1_000_000_000,
  ...changes,
});

/** Default prices of the schema. */
export const DEFAULT_PRICES: PriceSettings = {
  free: { burst: 20, hourly: 40 },
  work: { burst: 60, hourly: 120 },
  task: { burst: 300, hourly: 600 },
  audio: { burst: 30, hourly: 60 },
  patience: { burst: 6, hourly: 12 },
  patienceMs: 30_000,
  patienceBits: 4,
  partShare: 75,
  networks: 100_000,
  site: { burst: 5_000, hourly: 20_000 },
  attackFloor: 50,
};

/** Place of a test entry in the accounts of the store. */
export const place = (kind: StatePlace["kind"] = "session", network = "n1", idle = false): StatePlace => ({
  kind,
  network,
  idle,
});
