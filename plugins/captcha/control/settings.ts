import { join, resolve } from "node:path";
import {
  type ListenAddress,
  type RealIpHeader,
  type SectionContext,
  SettingsError,
} from "../../../runtime/process/contribution-api.js";
import { NOT_FOR_AUDITS } from "../captcha-table.js";
import type { CaptchaSettings } from "../service/contract.js";

export interface CaptchaDeployment {
  listen: ListenAddress;
  /** Root of the keyed hashes; null: the one in `secretFile`. */
  secret: string | null;
  /** Absolute path; null: a new secret for each start, since nothing is stored. */
  secretFile: string | null;
  /** `url` is "" if none is configured: the service uses its listener's address. */
  settings: CaptchaSettings;
}

/** Validated section, environment resolved. */
export interface CaptchaSection {
  listen?: { ip?: string; port?: number } | undefined;
  url?: string;
  secret?: string;
  store?: { type?: "lmdb" | "redis" | "memory"; path?: string; url?: string; timeout?: number };
  trusted_addresses?: string[];
  real_ip_header?: RealIpHeader;
  testing?: { enabled?: boolean };
  hosting_networks?: string[];
  audit?: Record<string, Record<string, unknown>>;
  limits?: Partial<typeof LIMITS>;
  price?: Partial<typeof PRICE>;
}

const MIB = 1_048_576;
const LIMITS = {
  sessions: 100_000,
  session_bytes: 128 * MIB,
  answer_bytes: 32 * MIB,
  picture_bytes: 128 * MIB,
  network_share: 10,
  claims: 1_000_000,
  sessions_soft: 30,
  sessions_hard: 300,
};

/**
 * First hour of a network: 60 free tokens, 180 more for work, 900 more for tasks; 90 sounds, and 18 ways
 * without a puzzle (docs/captcha/price.md).
 */
const PRICE = {
  ...{ free_burst: 20, free_hourly: 40, work_burst: 60, work_hourly: 120 },
  ...{ task_burst: 300, task_hourly: 600, audio_burst: 30, audio_hourly: 60 },
  ...{ patience_burst: 6, patience_hourly: 12, patience_wait: 30, patience_bits: 4 },
  ...{ part_share: 75, networks: 100_000, site_burst: 5_000, site_hourly: 20_000, attack_floor: 50 },
};

/** Default of `captcha.store.timeout`: with 250 ms, requests failed on hosts without CPU for a moment. */
const REDIS_TIMEOUT_MS = 2_000;

/** Minimum bytes that nobody can guess (`captcha.json` has the same limit for literals). */
const MIN_SECRET = 16;

/** @param section validated @throws SettingsError for faults that the schema cannot express */
export function captchaOf(
  section: CaptchaSection,
  { directory, storeDirectory, trustedAddresses, realIpHeader = "X-Forwarded-For" }: SectionContext,
): CaptchaDeployment {
  const { listen = {} } = section;
  return {
    listen: { host: listen.ip ?? "127.0.0.1", port: listen.port ?? 9088, setting: "captcha.listen" },
    secret: secretOf(section),
    secretFile: join(storeDirectory, "captcha.secret"),
    settings: {
      url: originOf(section.url),
      store: storeOf(section, directory, storeDirectory),
      trustedAddresses: section.trusted_addresses ?? trustedAddresses,
      realIpHeader: section.real_ip_header ?? realIpHeader,
      testing: section.testing?.enabled ?? false,
      audit: auditOf(section.audit ?? {}),
      hostingNetworks: section.hosting_networks ?? [],
      limits: limitsOf(section.limits ?? {}),
      price: priceOf(section.price ?? {}),
    },
  };
}

/** Run without a disk: the secret and the used tokens are not stored. */
export function unkept({ settings, ...deployment }: CaptchaDeployment): CaptchaDeployment {
  const store = settings.store.type === "lmdb" ? ({ type: "memory" } as const) : settings.store;
  return { ...deployment, secretFile: null, settings: { ...settings, store } };
}

function limitsOf(section: Partial<typeof LIMITS>): CaptchaSettings["limits"] {
  const limits = { ...LIMITS, ...section };
  if (limits.sessions_soft > limits.sessions_hard)
    throw new SettingsError("captcha.limits.sessions_soft must not be above captcha.limits.sessions_hard");
  return {
    sessions: limits.sessions,
    sessionBytes: limits.session_bytes,
    answerBytes: limits.answer_bytes,
    pictureBytes: limits.picture_bytes,
    networkShare: limits.network_share,
    claims: limits.claims,
    sessionsSoft: limits.sessions_soft,
    sessionsHard: limits.sessions_hard,
  };
}

function priceOf(section: Partial<typeof PRICE>): CaptchaSettings["price"] {
  const price = { ...PRICE, ...section };
  return {
    free: { burst: price.free_burst, hourly: price.free_hourly },
    work: { burst: price.work_burst, hourly: price.work_hourly },
    task: { burst: price.task_burst, hourly: price.task_hourly },
    audio: { burst: price.audio_burst, hourly: price.audio_hourly },
    patience: { burst: price.patience_burst, hourly: price.patience_hourly },
    patienceMs: price.patience_wait * 1_000,
    patienceBits: price.patience_bits,
    partShare: price.part_share,
    networks: price.networks,
    site: { burst: price.site_burst, hourly: price.site_hourly },
    attackFloor: price.attack_floor,
  };
}

function secretOf({ secret }: CaptchaSection): string | null {
  if (secret === undefined) return null;
  // The schema cannot check the value of a variable.
  if (secret.length < MIN_SECRET)
    throw new SettingsError(`captcha.secret needs at least ${MIN_SECRET} characters that cannot be guessed`);
  return secret;
}

function storeOf(
  { store = {}, secret }: CaptchaSection,
  directory: string,
  storeDirectory: string,
): CaptchaSettings["store"] {
  const { type = "lmdb", path, url, timeout } = store;
  const idle = [
    ...(path !== undefined && type !== "lmdb" ? ["path"] : []),
    ...(url !== undefined && type !== "redis" ? ["url"] : []),
    ...(timeout !== undefined && type !== "redis" ? ["timeout"] : []),
  ];
  if (idle.length > 0)
    throw new SettingsError(`captcha.store.${idle[0]} has no effect with captcha.store.type ${type}`);
  if (type === "memory") return { type };
  if (type === "lmdb") return { type, path: resolve(directory, path ?? join(storeDirectory, "captcha")) };
  if (url === undefined || !isRedis(url))
    throw new SettingsError("captcha.store.url must be a redis URL: redis://host:port or rediss://host:port");
  if (secret === undefined)
    throw new SettingsError(
      "captcha.store.type redis needs captcha.secret, the same on every node, because the nodes decrypt each other's data",
    );
  return { type, url, timeoutMs: timeout ?? REDIS_TIMEOUT_MS };
}

function isRedis(url: string): boolean {
  return /^rediss?:\/\/./.test(url) && URL.canParse(url);
}

/** Empty for none, otherwise without "/" at the end. */
function originOf(url: string | undefined): string {
  if (url === undefined) return "";
  const wrong = new SettingsError(
    "captcha.url must be an origin: http or https, a host, an optional port, and no path",
  );
  if (!URL.canParse(url)) throw wrong;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  const more = search !== "" || hash !== "" || username !== "" || password !== "" || pathname !== "/";
  if (!["http:", "https:"].includes(protocol) || more) throw wrong;
  return origin;
}

function auditOf(loggers: NonNullable<CaptchaSection["audit"]>): CaptchaSettings["audit"] {
  return Object.entries(loggers).map(([kind, settings]) => {
    const idle = Object.keys(settings).find((field) => NOT_FOR_AUDITS.has(field));
    if (idle !== undefined)
      throw new SettingsError(`captcha.audit.${kind}.${idle} has no effect on records of the captcha`);
    return { kind: kind as CaptchaSettings["audit"][number]["kind"], settings };
  });
}
