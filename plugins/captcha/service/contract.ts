/**
 * Interfaces between the parts of the captcha service (docs/decisions/0007). The service is a process of its
 * own: of the gateway it imports only the wire, the ABI, the store's package and the batch processor.
 */

import type { Headers } from "../../../runtime/abi/exchange.js";
import type { Metrics } from "../../../runtime/abi/metrics.js";
import type { RealIpHeader } from "../../../runtime/http/client-address.js";
import type { CaptchaApiKey, CaptchaCustomer, CaptchaSiteKey, TaskType, Way } from "../captcha-table.js";
import type { MemoryChallenge, TaskReply } from "./protocol.js";

/** Clock of the service; tests inject another. */
export interface CaptchaClock {
  /** Epoch ms. */
  now(): number;
  /** Monotonic ms. */
  monotonic(): number;
}

/** An API key in the service: always a digest. */
export interface KnownApiKey extends Omit<CaptchaApiKey, "digest" | "secret"> {
  digest: string;
}

/** Sent by control at every change. Its secrets only pass through the socket in the run directory. */
export interface CaptchaConfiguration {
  settings: CaptchaSettings;
  customers: CaptchaCustomer[];
  siteKeys: CaptchaSiteKey[];
  apiKeys: KnownApiKey[];
  /** Base64 of 32 bytes each, derived from `captcha.secret` with HKDF-SHA-256 and these names as info. */
  secrets: Record<"api-key" | "ip-binding" | "address" | "key-ring" | "program", string>;
  /** Digests of the admin API's keys, made like those of API keys; reports a misplaced one (H32). */
  adminKeys?: string[];
}

/** The deployment section `captcha` with defaults. */
export interface CaptchaSettings {
  /** {captcha_url} as browsers see it, without "/" at the end: "https://captcha.example.com". */
  url: string;
  store:
    | { type: "memory" }
    /** Absolute directory. */
    | { type: "lmdb"; path: string }
    /** `url` may contain a password: never printed. `timeoutMs`: for each command. */
    | { type: "redis"; url: string; timeoutMs: number };
  /** Trusted proxies, whose forwarding header is read from the right. */
  trustedAddresses: string[];
  /** Header with the client's address; absent: X-Forwarded-For. */
  realIpHeader?: RealIpHeader;
  /** Allows test keys (H10). */
  testing: boolean;
  /** Loggers that receive audit records, with their plugin settings and resolved secrets. */
  audit: { kind: "syslog" | "broker-logger"; settings: Record<string, unknown> }[];
  /** Address ranges of hosting networks, configured by the operator (group I). */
  hostingNetworks: string[];
  limits: {
    /** Maximum number of open sessions; above: the largest network loses its oldest (store/holdings.ts). */
    sessions: number;
    /** Budgets of the three kinds of state, in bytes. */
    sessionBytes: number;
    answerBytes: number;
    pictureBytes: number;
    /** Percentage of each of these that one network may have. */
    networkShare: number;
    /** Maximum number of claims; above: new ones are rejected, never evicted (W1). */
    claims: number;
    /** Sessions per minute and client prefix: the soft limit raises the cost, the hard one leads to 429. */
    sessionsSoft: number;
    sessionsHard: number;
  };
  price: PriceSettings;
}

/** Allowance of tokens: a burst, and a rate per hour. In the first hour that is at most their sum. */
export interface Allowance {
  burst: number;
  hourly: number;
}

/** Allowances of the token price (docs/captcha/price.md). The first three apply in turn to a network. */
export interface PriceSettings {
  free: Allowance;
  /** Above: more bits of work. */
  work: Allowance;
  /** Above: a task; above that: 429. */
  task: Allowance;
  /** Sounds for a network, whatever comes of them. */
  audio: Allowance;
  /** Ways without a puzzle that a network's visitors start. */
  patience: Allowance;
  /** Minimum duration of such a way in ms, at level 0. */
  patienceMs: number;
  /** Bits of each puzzle on such a way on top of the site key's. */
  patienceBits: number;
  /** Percentage of a network's tokens for one part: an address of a /24, a /56 of a /48, a /64 of a /56. */
  partShare: number;
  /** Maximum number of counted networks; above: the least recently used one is evicted. */
  networks: number;
  /** For all visitors of a site key together; above: more bits of work. */
  site: Allowance;
  /** Tokens, or failures, of a site key in five minutes up to which nothing is an attack. */
  attackFloor: number;
}

/** Normalized client address: IPv4-mapped IPv6 is IPv4. */
export interface ClientAddress {
  text: string;
  family: 4 | 6;
  /** /24 or /56 as text, "203.0.113.0/24", for rates and bindings. */
  prefix: string;
}

/** One request with its whole body. Texts are byte strings, as everywhere. */
export interface CaptchaRequest {
  readonly method: string;
  /** As received, before "?"; no escape is decoded and no dot segment resolved. */
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
  /** Content-Length is added; names are sent as they are. */
  headers: Readonly<Record<string, string>>;
  /** A string is sent as UTF-8. */
  body: string | Buffer;
}

/** Never throws on input. An error leads to 500 and a report without the request's content. */
export type CaptchaHandler = (request: CaptchaRequest) => CaptchaResponse | Promise<CaptchaResponse>;

/** Handler for a path; null if the path is another endpoint's. The first handler responds, else 404. */
export type Endpoint = (path: string) => CaptchaHandler | null;

/** Dependencies of the handlers. */
export interface CaptchaParts {
  readonly clock: CaptchaClock;
  /** The latest one; lookups by id are maps. */
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
  /** Reports an event to the operator; never a secret, a token or an address. */
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

/** Claims of single-use things. Entries only leave by time. Processes that share a store see all of them. */
export interface ClaimStore {
  /** Atomic. `lost`: the value of the winner. @throws StorageError, also if the store is full */
  claim(id: string, ttlMs: number, value: string): Promise<{ won: true } | { won: false; value: string }>;
  close(): Promise<void>;
}

/**
 * Kinds of state, each with its own budget: a session; the answer of a task, a reference to a task's frame or
 * the score of a token; a picture or a sound.
 */
export const STATE_KINDS = ["session", "answer", "picture"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

/** Kind and owner by which an entry of state is counted. */
export interface StatePlace {
  kind: StateKind;
  /** Owner: a keyed hash of the client prefix, never an address. */
  network: string;
  /** Not paid for yet: evicted first within its network. */
  idle?: boolean;
}

/** Size of one kind of state, as far as the store knows it. */
export interface StateUsage {
  /** Evicted entries. */
  evicted: number;
  /** Undefined if counting would be expensive. */
  entries?: number;
  bytes?: number;
}

/**
 * Short-lived state of sessions and tasks: plain JSON by key. No kind ever rejects an entry because others
 * fill it: the largest network loses its oldest entry. Sessions and answers are in the claims' store, so that
 * they survive a restart of the process.
 */
export interface StateStore {
  /** @throws StorageError, also for a value that is larger than its budget */
  put(key: string, value: unknown, ttlMs: number, place: StatePlace): Promise<void>;
  get(key: string): Promise<unknown>;
  /** Removes and returns the entry atomically: one caller gets it, the others undefined. */
  take(key: string): Promise<unknown>;
  usage(): Record<StateKind, StateUsage>;
  close(): Promise<void>;
}

/** Claims of a token (reference 5.1); `iat` and `exp` are added at its issue. */
export interface TokenClaims {
  request_id: string;
  site_key: string;
  hostname: string;
  how: "score" | "task" | "audio" | "patience";
  action?: string;
  /** Address binding: "<family>/<prefix length>/<base64url HMAC of the prefix>". */
  ipb?: string;
  /** How the token was won, sealed (token/winning.ts): for verification and reports, not for browsers. */
  won?: string;
  /** Set for a test key (H10). The score is never in a token: it is in the state as "score/<request_id>". */
  test?: true;
}

export interface Tokens {
  /** @throws StorageError */
  issue(claims: TokenClaims, ttlMs: number): Promise<string>;
  /**
   * Steps 4 and 5 of reference 5.4: form, key, algorithm, signature. The payload is not validated.
   * @throws StorageError if the signing keys are not known
   */
  open(token: string): Promise<OpenedToken | { reason: TokenFault }>;
  /** Creates a signing key; the old ones verify until their last token has expired. @returns the kid */
  rotate(): Promise<string>;
}
export interface OpenedToken {
  payload: Record<string, unknown>;
  /**
   * Reports whether the store has kept its claims since the token was opened. If not, a claim that was won in
   * the meantime proves nothing: an earlier one may be among the lost ones.
   */
  isCurrent(): boolean;
}
export type TokenFault = "malformed" | "unknown_key" | "bad_algorithm" | "bad_signature";

/** A task that is ready to be shown. The answer never leaves the server. */
export interface PreparedTask {
  type: TaskType;
  parts: { name: string; kind: "png" | "wav"; width?: number; height?: number; body: Buffer }[];
  count: number;
  answer: TaskAnswer;
}
export type TaskAnswer =
  | { type: "shapes"; cells: number[] }
  /** Clockwise degrees that correct each ring, in order. */
  | { type: "rings"; angles: number[] }
  | { type: "text"; text: string }
  | { type: "audio"; groups: number[] };

export interface TaskSource {
  /**
   * A ready task, or one that the worker makes within 200 ms, otherwise one of another type in `allowed`
   * (default: none). `level` 0..2 is the difficulty.
   * @throws Error if there is none in time
   */
  next(type: TaskType, level: number, allowed?: readonly TaskType[]): Promise<PreparedTask>;
  close(): Promise<void>;
}

/** Computes the hashes that check memory-hard work, outside of this thread. */
export interface MemoryChecks {
  /** true if the queue is so long that only necessary hashes should be requested. */
  readonly isBehind: boolean;
  /** @throws MemoryBusyError */
  hash(salt: string, index: number, size: Pick<MemoryChallenge, "kib" | "passes">): Promise<string>;
  close(): Promise<void>;
}

/** Compares with symmetric tolerance, circular angles and NFKC text, never graded (reference 4.4). */
export type CheckReply = (answer: TaskAnswer, reply: TaskReply) => boolean;

/** Sliding counts of 1, 10 and 60 minutes by daily HMAC of the client prefix and site key (3.3 H). */
export interface Rates {
  add(what: RateEvent, client: ClientAddress, siteKey: string): void;
  count(what: RateEvent, client: ClientAddress, siteKey: string, minutes: 1 | 10 | 60): number;
}
export type RateEvent = "session" | "task_failed" | "token_issued" | "token_rejected" | "bad_api_key";

/** Price levels of a token, cheapest first. */
export const STAGES = ["free", "work", "task", "wait"] as const;
export type Stage = (typeof STAGES)[number];

/** Ways with a limit per network: the easiest for a program, and the one that only costs it time. */
export type Scarce = Extract<Way, "audio" | "patience">;

/** Price of a client's next token. */
export interface Quote {
  stage: Stage;
  /** Extra bits of each puzzle. */
  bits: number;
  /** Minimum difficulty of a task, 0..2. */
  level: number;
  /** Attack level of the site: 0 for none, otherwise 1..3. */
  attack: number;
  /** Remaining wait in ms. */
  retryMs: number;
}

/** Price at which a token was sold. */
export interface Sale extends Omit<Quote, "retryMs"> {
  /** Names of the charged networks, innermost first: keyed hashes that change daily. */
  networks: string[];
}

export const VERDICTS = ["fraud", "good"] as const;
/** Later feedback of a backend about a visitor. */
export type Verdict = (typeof VERDICTS)[number];

/** Prices of tokens by recent use, in memory of this process (docs/captcha/price.md). */
export interface Prices {
  /** Counts nothing. @param least `task` if one is shown anyway */
  quote(client: ClientAddress, siteKey: string, least?: "free" | "task"): Quote;
  /** Charges the price of `quote`, unless the client must wait. */
  sell(client: ClientAddress, siteKey: string, least?: "free" | "task"): Sale;
  /** Time in ms until a network may use a scarce way again, apart from its tokens; 0: now. Counts nothing. */
  msToRoom(client: ClientAddress, what: Scarce): number;
  /** Counts one use of a scarce way. */
  take(client: ClientAddress, what: Scarce): void;
  /** Counts an issued token or a failed attempt for the usual level of the site key. */
  count(siteKey: string, what: "tokens" | "failures"): void;
  report(networks: readonly string[], siteKey: string, verdict: Verdict): void;
  /** Site keys that are under attack now. */
  attacks(): Record<string, AttackState>;
}

export interface AttackState {
  /** 1..3 */
  level: number;
  /** RFC 3339. */
  since: string;
}

/** Records decisions: in the loggers, in the counters, and for `GET …/captcha/decisions/<request_id>`. */
export interface Audit {
  decision(record: DecisionRecord): void;
  verification(record: VerificationRecord): void;
  find(requestId: string): object | undefined;
}

/** Reference 3.5. Never contains: raw trail, full UA, address, token, answers. */
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
  /** Price of the token by network and site; absent: nothing was sold. */
  price?: { stage: Stage; attack: number };
  tasks: { type: Way; ok: boolean; ms: number }[];
  /** Time in ms from the tick to the token, if there is one. */
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
