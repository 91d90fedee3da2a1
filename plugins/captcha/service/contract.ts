/**
 * How the parts of the captcha service meet (docs/decisions/0007). The service is a process of its own: it imports nothing of the
 * gateway but the wire, the ABI, the store's package and the batch processor.
 */

import type { Headers } from "../../../runtime/abi/exchange.js";
import type { Metrics } from "../../../runtime/abi/metrics.js";
import type { RealIpHeader } from "../../../runtime/http/client-address.js";
import type { CaptchaApiKey, CaptchaCustomer, CaptchaSiteKey, TaskType } from "../captcha-table.js";
import type { TaskReply } from "./protocol.js";

/** Time as the service sees it; tests inject it. */
export interface CaptchaClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
}

/** An API key as the service holds it: always a digest. */
export interface KnownApiKey extends Omit<CaptchaApiKey, "digest" | "secret"> {
  digest: string;
}

/** What control sends whenever it changes. Secrets in it travel only on the socket in the run directory. */
export interface CaptchaConfiguration {
  settings: CaptchaSettings;
  customers: CaptchaCustomer[];
  siteKeys: CaptchaSiteKey[];
  apiKeys: KnownApiKey[];
  /** Base64 of 32 bytes each, derived from `captcha.secret` with HKDF-SHA-256 and these names as info. */
  secrets: Record<"api-key" | "ip-binding" | "address" | "key-ring", string>;
  /** Digests of the admin API's keys, made as those of API keys: one that is sent here by mistake is reported (H32). */
  adminKeys?: string[];
}

/** The deployment section `captcha`, defaults filled in. */
export interface CaptchaSettings {
  /** {captcha_url} as browsers see it, without "/" at the end: "https://captcha.example.com". */
  url: string;
  store:
    | { type: "memory" }
    /** Absolute directory. */
    | { type: "lmdb"; path: string }
    /** `url` may hold a password: never printed. */
    | { type: "redis"; url: string };
  /** Proxies whose word about client addresses is believed, walked from the right. */
  trustedAddresses: string[];
  /** Field that they say it in; absent: X-Forwarded-For. */
  realIpHeader?: RealIpHeader;
  /** Test keys (H10). */
  testing: boolean;
  /** Loggers that audit records go to: settings as those plugins take them, secrets resolved. */
  audit: { kind: "syslog" | "broker-logger"; settings: Record<string, unknown> }[];
  /** Operator's lists: address ranges of hosting networks (group I). */
  hostingNetworks: string[];
  limits: {
    /** Open at once; above: the network that has the most loses its oldest (store/holdings.ts). */
    sessions: number;
    /** Budgets of the three kinds of state. */
    sessionBytes: number;
    answerBytes: number;
    pictureBytes: number;
    /** Per cent of each of these that one network may have. */
    networkShare: number;
    /** Kept at once; above: claims are refused, never evicted (W1). */
    claims: number;
    /** A minute and client prefix: soft raises the cost, hard refuses with 429. */
    sessionsSoft: number;
    sessionsHard: number;
  };
}

/** Address of a client, normalised: IPv4-mapped IPv6 is IPv4. */
export interface ClientAddress {
  text: string;
  family: 4 | 6;
  /** /24 or /56 in text form, "203.0.113.0/24": what rates and bindings look at. */
  prefix: string;
}

/** One request with its whole body. Texts are byte strings, like everywhere. */
export interface CaptchaRequest {
  readonly method: string;
  /** As received, before "?"; no escape is decoded and no dot resolved. */
  readonly path: string;
  /** After "?", "" when there is none. */
  readonly query: string;
  readonly headers: Headers;
  /** At most 16 kB; above: 413 before a handler sees it. */
  readonly body: Buffer;
  readonly client: ClientAddress;
}

export interface CaptchaResponse {
  status: number;
  /** Content-Length is added; names as they go out. */
  headers: Readonly<Record<string, string>>;
  /** A text is sent as UTF-8. */
  body: string | Buffer;
}

/** Never throws on input; what it throws is answered with 500 and reported without the message's input. */
export type CaptchaHandler = (request: CaptchaRequest) => CaptchaResponse | Promise<CaptchaResponse>;

/** A path, or null where the path is not this endpoint's. The first endpoint that knows the path answers, 404 otherwise. */
export type Endpoint = (path: string) => CaptchaHandler | null;

/** What handlers are made with. */
export interface CaptchaParts {
  readonly clock: CaptchaClock;
  /** Latest one; look-ups by id are maps. */
  readonly configuration: () => LiveConfiguration;
  readonly claims: ClaimStore;
  readonly states: StateStore;
  readonly tokens: Tokens;
  readonly tasks: TaskSource;
  readonly rates: Rates;
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** Something an operator should see; never a secret, a token, an address. */
  readonly report: (event: string, fields: Readonly<Record<string, string | number | undefined>>) => void;
}

export interface LiveConfiguration {
  readonly settings: CaptchaSettings;
  readonly customers: ReadonlyMap<string, CaptchaCustomer>;
  readonly siteKeys: ReadonlyMap<string, CaptchaSiteKey>;
  readonly apiKeys: ReadonlyMap<string, KnownApiKey>;
  readonly secrets: Readonly<Record<keyof CaptchaConfiguration["secrets"], Buffer>>;
  readonly adminKeys?: ReadonlySet<string>;
}

/** The store failed or did not answer in time; nothing is known about what it did. */
export class StorageError extends Error {}

/** Claims of things that may be used once. Entries leave only by time. Where several processes share a store, all see one another. */
export interface ClaimStore {
  /** Atomic. `lost`: the value that the winner left. @throws StorageError, also when it is full */
  claim(id: string, ttlMs: number, value: string): Promise<{ won: true } | { won: false; value: string }>;
  close(): Promise<void>;
}

/**
 * What an entry of state is, each kind with a budget of its own: a session; the answer of a task, a reference to a task's frame, the
 * score of a token; a picture or a sound.
 */
export const STATE_KINDS = ["session", "answer", "picture"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

/** Where an entry of state is counted. */
export interface StatePlace {
  kind: StateKind;
  /** Whose it is: a keyed hash of the client prefix, never an address. */
  network: string;
  /** Nobody has paid for it yet: the first of its network to go. */
  idle?: boolean;
}

/** What a store holds of one kind, as far as it knows. */
export interface StateUsage {
  /** Entries that made room for others. */
  evicted: number;
  /** Undefined where counting would cost. */
  entries?: number;
  bytes?: number;
}

/**
 * Short-lived state of sessions and tasks: plain JSON by key. No kind ever refuses an entry because others fill it: the oldest entry of
 * the network that has the most makes room. What holds sessions and answers is the claims' store, so that they outlive the process.
 */
export interface StateStore {
  /** @throws StorageError, also for a value that is larger than its budget */
  put(key: string, value: unknown, ttlMs: number, place: StatePlace): Promise<void>;
  get(key: string): Promise<unknown>;
  /** Takes the entry out, atomically: of several callers one gets it. Undefined when it is not there. */
  take(key: string): Promise<unknown>;
  usage(): Record<StateKind, StateUsage>;
  close(): Promise<void>;
}

/** Claims of a token (reference 5.1); `iat` and `exp` are added when it is issued. */
export interface TokenClaims {
  request_id: string;
  site_key: string;
  hostname: string;
  how: "score" | "task" | "audio";
  action?: string;
  /** Address binding: "<family>/<prefix length>/<base64url HMAC of the prefix>". */
  ipb?: string;
  /** Of a test key (H10). The score is never in a token: it stands in the state as "score/<request_id>". */
  test?: true;
}

export interface Tokens {
  /** @throws StorageError */
  issue(claims: TokenClaims, ttlMs: number): Promise<string>;
  /**
   * Steps 4 and 5 of reference 5.4: form, key, algorithm, signature. The payload is as signed, not validated.
   * @throws StorageError when the signing keys are not known
   */
  open(token: string): Promise<OpenedToken | { reason: TokenFault }>;
  /** Makes a new signing key; the old ones verify until the last of their tokens has expired. @returns the new kid */
  rotate(): Promise<string>;
}
export interface OpenedToken {
  payload: Record<string, unknown>;
  /**
   * False when the store has lost its claims since the token was opened: a claim that was won meanwhile says nothing, because the one
   * before it may be among the lost ones.
   */
  isCurrent(): boolean;
}
export type TokenFault = "malformed" | "unknown_key" | "bad_algorithm" | "bad_signature";

/** A task ready to be shown. The answer never leaves the server. */
export interface PreparedTask {
  type: TaskType;
  parts: { name: string; kind: "png" | "wav"; width?: number; height?: number; body: Buffer }[];
  count: number;
  answer: TaskAnswer;
}
export type TaskAnswer =
  | { type: "shapes"; cells: number[] }
  /** Degrees clockwise that set each ring right. */
  | { type: "rings"; angles: [number, number] }
  | { type: "text"; text: string }
  | { type: "audio"; groups: number[] };

export interface TaskSource {
  /**
   * From the ready buffer, or made by the worker within 200 ms, else one of another type in `allowed` (default: none).
   * `level` 0..2 is the difficulty. @throws Error when there is none in time
   */
  next(type: TaskType, level: number, allowed?: readonly TaskType[]): Promise<PreparedTask>;
  close(): Promise<void>;
}

/** Compares without telling how near a reply was: symmetric tolerance, circular angles, NFKC text (reference 4.4). */
export type CheckReply = (answer: TaskAnswer, reply: TaskReply) => boolean;

/** Sliding counts of 1, 10 and 60 minutes by client prefix (as an HMAC with a daily key) and site key (reference 3.3 H). */
export interface Rates {
  add(what: RateEvent, client: ClientAddress, siteKey: string): void;
  count(what: RateEvent, client: ClientAddress, siteKey: string, minutes: 1 | 10 | 60): number;
}
export type RateEvent =
  | "session"
  | "task_failed"
  | "token_issued"
  | "token_rejected"
  | "bad_api_key"
  | "audio";

/** Where decisions are written down: to the loggers, to the counters, and kept for `GET …/captcha/decisions/<request_id>`. */
export interface Audit {
  decision(record: DecisionRecord): void;
  verification(record: VerificationRecord): void;
  find(requestId: string): object | undefined;
}

/** Reference 3.5. Never: raw trail, full UA, address, token, answers. */
export interface DecisionRecord {
  request_id: string;
  site_key: string;
  hostname: string;
  decision: "token" | "task" | "again" | "refused" | "shadow";
  score: number;
  threshold: number;
  /** At most 8, the heaviest first. */
  reasons: { code: string; weight: number }[];
  model: string;
  activation: string;
  pow: { bits: number; ms: number };
  tasks: { type: TaskType; ok: boolean; ms: number }[];
  /** Milliseconds from the tick to the token, when there is one. */
  solved_ms?: number;
  address_hash: string;
  /** "Chrome 140". */
  browser: string;
}

export interface VerificationRecord {
  request_id: string | undefined;
  site_key: string;
  customer: string | undefined;
  success: boolean;
  error?: string;
  reason?: string;
  /** ip was given, and what it said. */
  ip: "absent" | "same" | "family_differs" | "mismatch" | "off";
}
