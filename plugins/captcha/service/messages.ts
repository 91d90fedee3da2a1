import type { MetricFamily } from "../../../runtime/abi/plugin-api.js";
import type { CaptchaConfiguration } from "./contract.js";
import type { CaptchaStatistics } from "./statistics.js";

/**
 * Messages between control and the captcha, one JSON object a line, on the UNIX socket in the run directory
 * (0700). Control listens, so that each of the two can be restarted.
 */
export type ToCaptcha =
  /** Sent at connection and at every change. */
  | { type: "configuration"; number: number; configuration: CaptchaConfiguration }
  /** The reply is `answer` with the same number. */
  | { type: "ask"; number: number; question: Question }
  /** The reply is an immediate `metrics` with the same number. */
  | { type: "metrics"; number: number };

export type Question =
  | { about: "statistics" }
  | { about: "decision"; requestId: string }
  | { about: "rotation" };

export interface Answers {
  /** With {captcha_url}. */
  statistics: CaptchaStatistics & { url: string };
  /** null: nothing is known of it any more. */
  decision: object | null;
  rotation: { kid: string };
}

export type FromCaptcha =
  | { type: "hello"; pid: number }
  /** `refused`: the service keeps its previous configuration, or exits if there is none. */
  | { type: "configured"; number: number; refused?: string }
  | { type: "answer"; number: number; value: Answers[keyof Answers] }
  | { type: "failed"; number: number; reason: string }
  /** Counters since the start of the process: on request, periodically, and before it exits. */
  | { type: "metrics"; number?: number; families: MetricFamily[] };

export const CAPTCHA_SOCKET = "captcha.sock";
