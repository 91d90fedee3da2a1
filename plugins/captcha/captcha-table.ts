/**
 * Captcha resources as the compiler hands them on: part of the artifact, so that they are committed and swapped with everything
 * else of a generation. Both halves of the plugin read this. Plain JSON, without secrets: an API key is here as a digest or as a reference that control resolves.
 */

export type CaptchaTable = {
  customers: CaptchaCustomer[];
  siteKeys: CaptchaSiteKey[];
  apiKeys: CaptchaApiKey[];
};

/** Settings of a logger that are about requests or a spool; for the loggers of `captcha.audit` they have no meaning. */
export const NOT_FOR_AUDITS: ReadonlySet<string> = new Set([
  ...["log_format", "log_format_extra", "meta_format", "record_id", "redact", "key", "hostname"],
  ...["include_req_body", "include_req_body_expr", "max_req_body_bytes"],
  ...["include_resp_body", "include_resp_body_expr", "max_resp_body_bytes"],
  ...["delivery", "ack", "spool", "_meta"],
]);

/** Who owns site keys and API keys. */
export interface CaptchaCustomer {
  id: string;
  enabled: boolean;
}

export const TASK_TYPES = ["shapes", "rings", "text", "audio"] as const;
/** shapes: V1, pick in order; rings: V2, align; text: V3; audio: A1, count the beeps (captcha reference section 4.3). */
export type TaskType = (typeof TASK_TYPES)[number];

/** Ways from a task's frame to a token: the kinds of task, and patience, which asks for work and a wait in place of a puzzle. */
export const WAYS = [...TASK_TYPES, "patience"] as const;
export type Way = (typeof WAYS)[number];

/** A public widget key with its settings, defaults filled in. */
export interface CaptchaSiteKey {
  /** The key itself: `^[A-Za-z0-9_-]{8,64}$`, never a reserved path part (H30). */
  id: string;
  customer: string;
  enabled: boolean;
  /** Hosts of pages that may show the widget: "example.com" also stands for its subdomains. At least one. */
  hostnames: string[];
  /** Hosts of other sites whose pages may frame pages of `hostnames`; names stand for subdomains as well. Never IPv6. */
  embedHosts: string[];
  /** A task is shown when the score is above it; 0..1, default 0.5. */
  threshold: number;
  challengeMode: "adaptive" | "always" | "never";
  /** Types of task that may be shown, in order of preference; never only "text" or only "audio" (WCAG 3.3.8). */
  taskTypes: TaskType[];
  /** A visitor may choose work and a wait in place of a task (api/patience.ts). */
  patience: boolean;
  /** Bits of each of the 16 puzzles of the proof of work; default 14. */
  powBits: number;
  /** Whether Argon2id is asked for beside SHA-256: under attack and without a puzzle, never, or at every tick as well. */
  work: "adaptive" | "sha256" | "argon2id";
  ipBinding: "off" | "dual_stack" | "prefix" | "exact";
  /** Seconds, 60..600; default 300. */
  tokenTtl: number;
  /** Verification answers also tell the score (1 = bot). */
  exposeScore: boolean;
  /** Scores are computed and audited, and decide nothing. */
  shadow: boolean;
  /** Languages that the widget may use; the first is taken where a page asks for another. */
  languages: ("ru" | "en")[];
  theme: "auto" | "light" | "dark";
  /** Who is named in the widget; null: the shield. `link` is an https address. */
  operator: { name: string; link: string | null } | null;
}

/** A private key of a customer. Exactly one of `digest` and `secret` is set. */
export interface CaptchaApiKey {
  /** The eight characters that stand in the key itself: `spk_<id>_<secret>_<checksum>`. */
  id: string;
  customer: string;
  enabled: boolean;
  /** Epoch seconds; null: does not expire. */
  expires: number | null;
  /** Keyed hash, as `captcha/api-keys` made it: base64url of HMAC-SHA-256. */
  digest: string | null;
  /** Reference of the key's text (`${{VAR}}`, or the name of a literal that the compiler kept apart), from files. */
  secret: string | null;
}

/** Alphabet of site keys (H30). */
export const SITE_KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** First parts of paths that are the service's own, and `captcha-<version>.<hash>.js` (H30). */
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

/** First part of a path that is the service's own and so answers to no site key (H30). */
export function isReservedPath(part: string): boolean {
  const name = part.toLowerCase();
  return RESERVED_PATHS.has(name) || /^captcha-.*\.js$/.test(name);
}

/** Fixed keys for tests (H10); nobody may own them. */
const TEST_SITE_KEY = /^sp-test-/i;

/** A text that can be no site key: `/<site_key>/verify` shares the root with the service's own paths, and test keys are fixed. */
export function isReservedSiteKey(text: string): boolean {
  return isReservedPath(text) || TEST_SITE_KEY.test(text);
}

/** The table of a generation that has none. */
export const NO_CAPTCHA: Readonly<CaptchaTable> = { customers: [], siteKeys: [], apiKeys: [] };
