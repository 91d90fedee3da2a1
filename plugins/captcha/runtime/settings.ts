/** Where a token may be. "form": urlencoded. */
export type TokenPlace = "form" | "multipart" | "json" | "header";

import type { Sparse } from "../../../runtime/abi/defaults.js";
import type { DEFAULTS } from "./defaults.gen.js";

/** What a generated module hands to `captcha`: what differs from the defaults. */
export type SparseCaptchaCheck = Sparse<CaptchaCheckSettings, typeof DEFAULTS>;

/** The settings in full. Texts are byte strings. */
export interface CaptchaCheckSettings {
  /** `{captcha_url}` without "/" at its end. */
  readonly url: string;
  readonly siteKey: string;
  /** Reference of the secret. */
  readonly apiKey: string;
  /** Of the secret; null: it is the reference. */
  readonly version: string | null;
  /** Of one call, milliseconds. */
  readonly timeoutMs: number;
  /** Calls after the first. */
  readonly retries: number;
  /** Certificates (PEM) of the authorities that are trusted in place of the system's; null: the system's. */
  readonly ca: string | null;
  /** Upper case. */
  readonly methods: readonly string[];
  readonly tokenFrom: readonly TokenPlace[];
  readonly field: string;
  /** Lower case. */
  readonly header: string;
  /** Names of the JSON pointer, unescaped. */
  readonly pointer: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxMultipartBytes: number;
  readonly stripField: boolean;
  readonly sendIp: boolean;
  readonly policy: "fail-closed" | "fail-open";
  readonly rejectStatus: number;
}
