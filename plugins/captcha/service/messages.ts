import type { MetricFamily } from "../../../runtime/abi/metrics.js";
import type { CaptchaConfiguration } from "./contract.js";
import type { CaptchaStatistics } from "./statistics.js";

/**
 * Between control and the captcha, one JSON object a line on the UNIX socket in the run directory (0700). Control listens,
 * so that each of the two may be started anew.
 */
export type ToCaptcha =
  /** At connection and at every change; answered by `configured` with the same number. */
  | { type: "configuration"; number: number; configuration: CaptchaConfiguration }
  /** Answered by `answer` with the same number. */
  | { type: "ask"; number: number; question: Question }
  /** Answered at once by `metrics` with the same number. */
  | { type: "metrics"; number: number };

export type Question =
  | { about: "statistics" }
  | { about: "decision"; requestId: string }
  /** Makes a new signing key. */
  | { about: "rotation" };

/** What each question is answered with. */
export interface Answers {
  /** With {captcha_url}. */
  statistics: CaptchaStatistics & { url: string };
  /** Null: nothing is known of it any more. */
  decision: object | null;
  /** Id of the new signing key. */
  rotation: { kid: string };
}

export type FromCaptcha =
  | { type: "hello"; pid: number }
  /** `refused`: why the service does not serve with it; it goes on with what it had, and ends when it had nothing. */
  | { type: "configured"; number: number; refused?: string }
  | { type: "answer"; number: number; value: Answers[keyof Answers] }
  /** The question could not be answered. */
  | { type: "failed"; number: number; reason: string }
  /** Counters since the start of the process: when asked, now and then, and before it ends. */
  | { type: "metrics"; number?: number; families: MetricFamily[] };

export const CAPTCHA_SOCKET = "captcha.sock";
