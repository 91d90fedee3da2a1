/** Where a token may be. "form": urlencoded. */
export type TokenPlace = "form" | "multipart" | "json" | "header";

/** What a generated module hands to `captcha`; defaults are filled in by the compiler. Texts are byte strings. */
export interface CaptchaCheckSettings {
  /** Key of the resource: changes with what is below it, but for the rest. */
  readonly key: string;
  /** `{captcha_url}` without "/" at its end. */
  readonly url: string;
  readonly siteKey: string;
  /** Reference of the secret. */
  readonly apiKey: string;
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
