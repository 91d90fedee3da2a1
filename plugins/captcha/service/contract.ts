/**
 * How the parts of the captcha service meet (docs/decisions/0007). The service is a process of its own: it imports nothing of the
 * gateway but the wire, the ABI, the store's package and the batch processor.
 */

import type { Headers } from "../../../runtime/abi/exchange.js";
import type { Metrics } from "../../../runtime/abi/metrics.js";
import type { RealIpHeader } from "../../../runtime/http/client-address.js";
import type { CaptchaApiKey, CaptchaCustomer, CaptchaSiteKey, TaskType, Way } from "../captcha-table.js";
import type { MemoryChallenge, TaskReply } from "./protocol.js";

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
  secrets: Record<"api-key" | "ip-binding" | "address" | "key-ring" | "program", string>;
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
    /** `url` may hold a password: never printed. `timeoutMs`: for each command. */
    | { type: "redis"; url: string; timeoutMs: number };
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
  price: PriceSettings;
}

/** Tokens that somebody may have: at once, and an hour. In the first hour that is at most their sum. */
export interface Allowance {
  burst: number;
  hourly: number;
}

/** What tokens cost whom (docs/captcha/price.md). The first three are of a network, and follow one another. */
export interface PriceSettings {
  free: Allowance;
  /** For more bits of work. */
  work: Allowance;
  /** For a task; above: 429. */
  task: Allowance;
  /** Sounds that a network is given, whatever comes of them. */
  audio: Allowance;
  /** Ways without a puzzle that its visitors begin. */
  patience: Allowance;
  /** Milliseconds that such a way takes at least, at level 0. */
  patienceMs: number;
  /** Bits of each puzzle that it takes more than the site key asks for. */
  patienceBits: number;
  /** Per cent of a network's tokens that one part of it may have: an address of a /24, a /56 of a /48, a /64 of a /56. */
  partShare: number;
  /** Networks that are counted at once; above: the one that was quiet longest is forgotten. */
  networks: number;
  /** Of all visitors of a site key together; above: more bits of work. */
  site: Allowance;
  /** Tokens, or failures, of a site key in five minutes that are never called an attack. */
  attackFloor: number;
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
  readonly memory: MemoryChecks;
  readonly rates: Rates;
  readonly prices: Prices;
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
  how: "score" | "task" | "audio" | "patience";
  action?: string;
  /** Address binding: "<family>/<prefix length>/<base64url HMAC of the prefix>". */
  ipb?: string;
  /** How it was won, sealed (token/winning.ts): for the verification and for reports, unreadable for the browser. */
  won?: string;
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
  /** Degrees clockwise that set each ring right, in order. */
  | { type: "rings"; angles: number[] }
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

/** Computes what memory-hard work is checked by, elsewhere than in this thread. */
export interface MemoryChecks {
  /** So many wait that none should be asked for that need not be. */
  readonly isBehind: boolean;
  /** @throws MemoryBusyError */
  hash(salt: string, index: number, size: Pick<MemoryChallenge, "kib" | "passes">): Promise<string>;
  close(): Promise<void>;
}

/** Compares without telling how near a reply was: symmetric tolerance, circular angles, NFKC text (reference 4.4). */
export type CheckReply = (answer: TaskAnswer, reply: TaskReply) => boolean;

/** Sliding counts of 1, 10 and 60 minutes by client prefix (as an HMAC with a daily key) and site key (reference 3.3 H). */
export interface Rates {
  add(what: RateEvent, client: ClientAddress, siteKey: string): void;
  count(what: RateEvent, client: ClientAddress, siteKey: string, minutes: 1 | 10 | 60): number;
}
export type RateEvent = "session" | "task_failed" | "token_issued" | "token_rejected" | "bad_api_key";

/** How dear a token is, cheapest first. */
export const STAGES = ["free", "work", "task", "wait"] as const;
export type Stage = (typeof STAGES)[number];

/** What has a cap of its own per network: the easiest for a program, and what asks it for nothing but time. */
export type Scarce = Extract<Way, "audio" | "patience">;

/** What the next token of a client costs. */
export interface Quote {
  stage: Stage;
  /** More bits of each puzzle. */
  bits: number;
  /** Least difficulty of a task, 0..2. */
  level: number;
  /** 0: the site is not under attack; else 1..3. */
  attack: number;
  /** Milliseconds after which a wait is over. */
  retryMs: number;
}

/** What a token was sold for. */
export interface Sale extends Omit<Quote, "retryMs"> {
  /** Names of the networks that were charged, the innermost first: keyed hashes, new ones each day. */
  networks: string[];
}

export const VERDICTS = ["fraud", "good"] as const;
/** What a backend says of a visitor afterwards. */
export type Verdict = (typeof VERDICTS)[number];

/** Prices of tokens by what networks and site keys have taken lately (docs/captcha/price.md). Memory of this process. */
export interface Prices {
  /** Counts nothing. @param least `task` where one is shown anyway */
  quote(client: ClientAddress, siteKey: string, least?: "free" | "task"): Quote;
  /** Charges what `quote` says; who has to wait is not charged. */
  sell(client: ClientAddress, siteKey: string, least?: "free" | "task"): Sale;
  /** Milliseconds until a network may have one more of what it may have few of, beside its tokens; 0: now. Counts nothing. */
  msToRoom(client: ClientAddress, what: Scarce): number;
  /** Counts one. */
  take(client: ClientAddress, what: Scarce): void;
  /** A token went out, or a try failed: what the usual level of the site key is measured by. */
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
  /** What the network and the site made the token cost; absent: nothing was sold. */
  price?: { stage: Stage; attack: number };
  tasks: { type: Way; ok: boolean; ms: number }[];
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
