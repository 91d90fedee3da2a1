/**
 * Captcha resources as compiled: part of the artifact, so that they are committed and activated with the rest
 * of a generation. Plain JSON without secrets: an API key is a digest or a reference that control resolves.
 */

export type CaptchaTable = {
  customers: CaptchaCustomer[];
  siteKeys: CaptchaSiteKey[];
  apiKeys: CaptchaApiKey[];
};

/** Settings about requests or a spool, which have no meaning for the loggers of `captcha.audit`. */
export const NOT_FOR_AUDITS: ReadonlySet<string> = new Set([
  ...["log_format", "log_format_extra", "meta_format", "record_id", "redact", "key", "hostname"],
  ...["include_req_body", "include_req_body_expr", "max_req_body_bytes"],
  ...["include_resp_body", "include_resp_body_expr", "max_resp_body_bytes"],
  ...["delivery", "ack", "spool", "_meta"],
]);

export interface CaptchaCustomer {
  id: string;
  enabled: boolean;
}

export const TASK_TYPES = ["shapes", "rings", "text", "audio"] as const;
/** V1: pick in order; V2: align; V3: text; A1: count the beeps (captcha reference section 4.3). */
export type TaskType = (typeof TASK_TYPES)[number];

/** Ways to a token: the types of task, and patience, which takes work and a wait instead of a puzzle. */
export type Way = TaskType | "patience";

/** Public widget key with its settings, including defaults. */
export interface CaptchaSiteKey {
  /** `^[A-Za-z0-9_-]{8,64}$`, never a reserved path part (H30). */
  id: string;
  customer: string;
  enabled: boolean;
  /** Hosts whose pages may show the widget, at least one: "example.com" includes its subdomains. */
  hostnames: string[];
  /** Hosts of other sites whose pages may frame pages of `hostnames`; names include their subdomains. Never IPv6. */
  embedHosts: string[];
  /** Maximum score without a task; 0..1, default 0.5. */
  threshold: number;
  challengeMode: "adaptive" | "always" | "never";
  /** Order of preference; never only "text" or only "audio" (WCAG 3.3.8). */
  taskTypes: TaskType[];
  /** Allows work and a wait instead of a task (api/patience.ts). */
  patience: boolean;
  /** Bits of each of the 16 puzzles; default 14. */
  powBits: number;
  /** Argon2id in addition to SHA-256: under attack and without a puzzle, never, or also at every tick. */
  work: "adaptive" | "sha256" | "argon2id";
  ipBinding: "off" | "dual_stack" | "prefix" | "exact";
  /** Seconds, 60..600; default 300. */
  tokenTtl: number;
  /** Adds the score to verification responses (1 = bot). */
  exposeScore: boolean;
  /** Scores are computed and audited, but have no effect. */
  shadow: boolean;
  /** The first one is used if a page asks for another. */
  languages: ("ru" | "en")[];
  theme: "auto" | "light" | "dark";
  /** null: the shield. `link` is an https address. */
  operator: { name: string; link: string | null } | null;
}

/** Private key. Exactly one of `digest` and `secret` is set. */
export interface CaptchaApiKey {
  /** The eight characters inside the key: `spk_<id>_<secret>_<checksum>`. */
  id: string;
  customer: string;
  enabled: boolean;
  /** Epoch seconds; null: does not expire. */
  expires: number | null;
  /** Base64url of HMAC-SHA-256, made by `captcha/api-keys`. */
  digest: string | null;
  /** Reference of a key's text from files: `${{VAR}}`, or the name of a literal that the compiler stores apart. */
  secret: string | null;
}

/** Alphabet of site keys (H30). */
export const SITE_KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** Service's own paths, and `captcha-<version>.<hash>.js` (H30). */
const RESERVED_PATHS: ReadonlySet<string> = new Set([
  "captcha.js",
  "api",
  "f",
  "assets",
  "healthz",
  "readyz",
  "metrics",
  "admin",
  ".well-known",
]);

export function isReservedPath(part: string): boolean {
  const name = part.toLowerCase();
  return RESERVED_PATHS.has(name) || /^captcha-.*\.js$/.test(name);
}

/** Keys for tests (H10); nobody may own them. */
export const TEST_SITE_KEY = /^sp-test-/i;

/** `/<site_key>/verify` shares the root with the service's own paths, and test keys are fixed. */
export function isReservedSiteKey(text: string): boolean {
  return isReservedPath(text) || TEST_SITE_KEY.test(text);
}

export const NO_CAPTCHA: Readonly<CaptchaTable> = { customers: [], siteKeys: [], apiKeys: [] };
