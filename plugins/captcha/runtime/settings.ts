/** "form": urlencoded. */
type TokenPlace = "form" | "multipart" | "json" | "header";

import type { Sparse } from "../../../runtime/abi/plugin-api.js";
import type { DEFAULTS } from "./defaults.gen.js";

/** Settings that differ from the defaults. */
export type SparseCaptchaCheck = Sparse<CaptchaCheckSettings, typeof DEFAULTS>;

/** Texts are byte strings. */
export interface CaptchaCheckSettings {
  /** URL without "/" at its end. */
  readonly url: string;
  readonly siteKey: string;
  /** Reference of the secret. */
  readonly apiKey: string;
  /** Version of the secret; null: the reference is its version. */
  readonly version: string | null;
  /** Timeout of one call. */
  readonly timeoutMs: number;
  /** Calls after the first. */
  readonly retries: number;
  /** Authorities (PEM) in place of the system's; null: the system's. */
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
