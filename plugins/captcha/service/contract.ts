/**
 * Interfaces between the parts of the captcha service (docs/decisions/0007), a process of its own: of the
 * gateway it imports only the wire, the ABI, the store's package and the batch processor.
 */

import type { Headers, Metrics } from "../../../runtime/abi/plugin-api.js";
import type { RealIpHeader } from "../../../runtime/process/service-api.js";
import type { CaptchaApiKey, CaptchaCustomer, CaptchaSiteKey, TaskType, Way } from "../captcha-table.js";
import type { MemoryChallenge, TaskReply } from "./protocol.js";

export interface CaptchaClock {
  now(): number;
  monotonic(): number;
}

export interface KnownApiKey extends Omit<CaptchaApiKey, "digest" | "secret"> {
  digest: string;
}

/** Sent by control at every change; the secrets only pass through the socket in the run directory. */
export interface CaptchaConfiguration {
  settings: CaptchaSettings;
  customers: CaptchaCustomer[];
  siteKeys: CaptchaSiteKey[];
  apiKeys: KnownApiKey[];
  /** Base64 of 32 bytes each, derived from `captcha.secret` with HKDF-SHA-256 and these names as info. */
  secrets: Record<"api-key" | "ip-binding" | "address" | "key-ring" | "program", string>;
  /** Digests like those of API keys, to report a misplaced one (H32). */
  adminKeys?: string[];
}

export interface CaptchaSettings {
  /** URL that browsers see, without "/" at the end. */
  url: string;
  store:
    | { type: "memory" }
    | { type: "lmdb"; path: string }
    /** `url` may contain a password: never printed. `timeoutMs`: for each command. */
    | { type: "redis"; url: string; timeoutMs: number };
  trustedAddresses: string[];
  /** Absent: X-Forwarded-For. */
  realIpHeader?: RealIpHeader;
  /** Allows test keys (H10). */
  testing: boolean;
  /** Plugin settings with resolved secrets. */
  audit: { kind: "syslog" | "broker-logger"; settings: Record<string, unknown> }[];
  hostingNetworks: string[];
  limits: {
    /** Above: the largest network loses its oldest (store/holdings.ts). */
    sessions: number;
    sessionBytes: number;
    answerBytes: number;
    pictureBytes: number;
    /** Percentage of each of these that one network may have. */
    networkShare: number;
    /** Above: new claims are rejected, never evicted (W1). */
    claims: number;
    /** Sessions per minute and client prefix: the soft limit raises the cost, the hard one leads to 429. */
    sessionsSoft: number;
    sessionsHard: number;
  };
  price: PriceSettings;
}

/** A burst, and a rate per hour. In the first hour that is at most their sum. */
export interface Allowance {
  burst: number;
  hourly: number;
}

/** The price of a token (docs/captcha/price.md). The first three apply in turn to a network. */
export interface PriceSettings {
  free: Allowance;
  /** Above: more bits of work. */
  work: Allowance;
  /** Above: a task; above that: 429. */
  task: Allowance;
  audio: Allowance;
  /** Starts of ways without a puzzle. */
  patience: Allowance;
  /** Minimum duration in ms, at level 0. */
  patienceMs: number;
  /** Addition to the site key's bits. */
  patienceBits: number;
  /** Percentage of a network's tokens for one part: an address of a /24, a /56 of a /48, a /64 of a /56. */
  partShare: number;
  /** Above: the least recently used one is evicted. */
  networks: number;
  /** For all visitors of a site key together; above: more bits of work. */
  site: Allowance;
  /** Tokens, or failures, of a site key in five minutes up to which nothing is an attack. */
  attackFloor: number;
}

/** IPv4-mapped IPv6 is IPv4. */
export interface ClientAddress {
  text: string;
  family: 4 | 6;
  /** /24 or /56 as text, "203.0.113.0/24", for rates and bindings. */
  prefix: string;
}

/** Texts are byte strings, as everywhere. */
export interface CaptchaRequest {
  readonly method: string;
  /** Part before "?"; no escape is decoded and no dot segment resolved. */
  readonly path: string;
  /** After "?", "" if there is none. */
  readonly query: string;
  readonly headers: Headers;
  /** At most 16 kB; above: 413 without a handler. */
  readonly body: Buffer;
  readonly client: ClientAddress;
}

export interface CaptchaResponse {
  status: number;
  /** Content-Length is added. */
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** Never throws on input; an error leads to 500 and a report without the request's content. */
export type CaptchaHandler = (request: CaptchaRequest) => CaptchaResponse | Promise<CaptchaResponse>;

/** null if the path is another endpoint's. The first handler responds, else 404. */
export type Endpoint = (path: string) => CaptchaHandler | null;

export interface CaptchaParts {
  readonly clock: CaptchaClock;
  readonly configuration: () => LiveConfiguration;
  readonly claims: ClaimStore;
  readonly states: StateStore;
  readonly tokens: Tokens;
  readonly tasks: TaskSource;
  readonly memory: MemoryChecks;
  readonly rates: Rates;
  readonly prices: Prices;
  readonly audit: Audit;
  readonly metrics: Metrics;
  /** Never gets a secret, a token or an address. */
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

/** The store failed or did not respond in time; its state is unknown. */
export class StorageError extends Error {}

/** Claims of single-use things; entries only leave by time. Processes that share a store see all of them. */
export interface ClaimStore {
  /** Atomic. `lost`: the value of the winner. @throws StorageError, also if the store is full */
  claim(id: string, ttlMs: number, value: string): Promise<{ won: true } | { won: false; value: string }>;
  close(): Promise<void>;
}

/** Each has its own budget. `answer`: also references to task frames, scores of tokens. `picture`: also sounds. */
export const STATE_KINDS = ["session", "answer", "picture"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export interface StatePlace {
  kind: StateKind;
  /** Keyed hash of the client prefix, never an address. */
  network: string;
  /** Not paid for yet: evicted first within its network. */
  idle?: boolean;
}

export interface StateUsage {
  evicted: number;
  /** Undefined if counting would be expensive. */
  entries?: number;
  bytes?: number;
}

/**
 * State of sessions and tasks: plain JSON by key. No kind ever rejects an entry because others fill it: the
 * largest network loses its oldest entry. Sessions and answers are in the claims' store and survive a
 * restart.
 */
export interface StateStore {
  /** @throws StorageError, also for a value above its budget */
  put(key: string, value: unknown, ttlMs: number, place: StatePlace): Promise<void>;
  get(key: string): Promise<unknown>;
  /** Atomic: one caller gets the entry, the others undefined. */
  take(key: string): Promise<unknown>;
  usage(): Record<StateKind, StateUsage>;
  close(): Promise<void>;
}

/** Reference 5.1; `iat` and `exp` are added at the issue. */
export interface TokenClaims {
  request_id: string;
  site_key: string;
  hostname: string;
  how: "score" | "task" | "audio" | "patience";
  action?: string;
  /** Address binding: "<family>/<prefix length>/<base64url HMAC of the prefix>". */
  ipb?: string;
  /** Way in which the token was won, sealed (token/winning.ts): not for browsers. */
  won?: string;
  /** The score is never in a token: it is in the state as "score/<request_id>". */
  test?: true;
}

export interface Tokens {
  /** @throws StorageError */
  issue(claims: TokenClaims, ttlMs: number): Promise<string>;
  /** Steps 4 and 5 of reference 5.4; the payload is not validated. @throws StorageError without signing keys */
  open(token: string): Promise<OpenedToken | { reason: TokenFault }>;
  /** The old keys verify until their last token has expired. @returns the kid */
  rotate(): Promise<string>;
}
export interface OpenedToken {
  payload: Record<string, unknown>;
  /** False if the store may have lost claims since the token was opened: one won meanwhile proves nothing. */
  isCurrent(): boolean;
}
export type TokenFault = "malformed" | "unknown_key" | "bad_algorithm" | "bad_signature";

/** The answer never leaves the server. */
export interface PreparedTask {
  type: TaskType;
  parts: { name: string; kind: "png" | "wav"; width?: number; height?: number; body: Buffer }[];
  count: number;
  answer: TaskAnswer;
}
export type TaskAnswer =
  | { type: "shapes"; cells: number[] }
  /** Clockwise degrees. */
  | { type: "rings"; angles: number[] }
  | { type: "text"; text: string }
  | { type: "audio"; groups: number[] };

export interface TaskSource {
  /** A ready task, one made within 200 ms, or another type in `allowed`. @param level 0..2 @throws Error if none */
  next(type: TaskType, level: number, allowed?: readonly TaskType[]): Promise<PreparedTask>;
  close(): Promise<void>;
}

/** Computes outside of this thread. */
export interface MemoryChecks {
  /** The queue is so long that only necessary hashes should be requested. */
  readonly isBehind: boolean;
  /** @throws MemoryBusyError */
  hash(salt: string, index: number, size: Pick<MemoryChallenge, "kib" | "passes">): Promise<string>;
  close(): Promise<void>;
}

/** Symmetric tolerance, circular angles, NFKC text, never graded (reference 4.4). */
export type CheckReply = (answer: TaskAnswer, reply: TaskReply) => boolean;

/** Sliding counts of 1, 10 and 60 minutes by daily HMAC of the client prefix and site key (3.3 H). */
export interface Rates {
  add(what: RateEvent, client: ClientAddress, siteKey: string): void;
  count(what: RateEvent, client: ClientAddress, siteKey: string, minutes: 1 | 10 | 60): number;
}
export type RateEvent = "session" | "task_failed" | "token_issued" | "token_rejected" | "bad_api_key";

/** Cheapest first. */
export const STAGES = ["free", "work", "task", "wait"] as const;
export type Stage = (typeof STAGES)[number];

/** Limited per network: the easiest way for a program, and the one that only costs it time. */
export type Scarce = Extract<Way, "audio" | "patience">;

export interface Quote {
  stage: Stage;
  /** Extra bits of each puzzle. */
  bits: number;
  /** 0..2. */
  level: number;
  /** 0 for none, otherwise 1..3. */
  attack: number;
  retryMs: number;
}

export interface Sale extends Omit<Quote, "retryMs"> {
  /** Charged ones, innermost first: keyed hashes that change daily. */
  networks: string[];
}

export const VERDICTS = ["fraud", "good"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Recent use, in memory of this process (docs/captcha/price.md). */
export interface Prices {
  /** Counts nothing. @param least `task` if one is shown anyway */
  quote(client: ClientAddress, siteKey: string, least?: "free" | "task"): Quote;
  sell(client: ClientAddress, siteKey: string, least?: "free" | "task"): Sale;
  /** Time until the next use, apart from the network's tokens; 0: now. Counts nothing. */
  msToRoom(client: ClientAddress, what: Scarce): number;
  take(client: ClientAddress, what: Scarce): void;
  /** Adds to the usual level of the site key. */
  count(siteKey: string, what: "tokens" | "failures"): void;
  report(networks: readonly string[], siteKey: string, verdict: Verdict): void;
  attacks(): Record<string, AttackState>;
}

export interface AttackState {
  /** 1..3 */
  level: number;
  /** RFC 3339. */
  since: string;
}

export interface Audit {
  decision(record: DecisionRecord): void;
  verification(record: VerificationRecord): void;
  find(requestId: string): object | undefined;
}

/** Reference 3.5. Never contains raw trail, full UA, address, token or answers. */
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
  /** Absent: nothing was sold. */
  price?: { stage: Stage; attack: number };
  tasks: { type: Way; ok: boolean; ms: number }[];
  /** Time from the tick to the token, if there is one. */
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
  /** Result of the check of `ip`, "absent" if it was not given. */
  ip: "absent" | "same" | "family_differs" | "mismatch" | "off";
}
