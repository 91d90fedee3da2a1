import "../../plugins/runtime.js";
import type { CaptchaSiteKey, TaskType } from "../../plugins/captcha/captcha-table.js";
import { apiEndpoints } from "../../plugins/captcha/service/api/endpoints.js";
import { CaptchaAudit } from "../../plugins/captcha/service/audit/audit.js";
import { liveConfiguration } from "../../plugins/captcha/service/captcha.js";
import type {
  CaptchaConfiguration,
  CaptchaParts,
  CaptchaSettings,
  CheckReply,
  Endpoint,
  LiveConfiguration,
  MemoryChecks,
  StateStore,
} from "../../plugins/captcha/service/contract.js";
import { memoryHash } from "../../plugins/captcha/service/pow/argon2.js";
import { TokenPrices } from "../../plugins/captcha/service/price/token-prices.js";
import type { PowChallenge, ProgramAnswer } from "../../plugins/captcha/service/protocol.js";
import { PrefixRates } from "../../plugins/captcha/service/rate/prefix-rates.js";
import { CaptchaServer } from "../../plugins/captcha/service/server.js";
import { openStores } from "../../plugins/captcha/service/store/open.js";
import { checkReply as realCheck } from "../../plugins/captcha/service/tasks/tasks.js";
import { openTokens } from "../../plugins/captcha/service/token/tokens.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { HeaderList } from "../../runtime/http/header-list.js";
import { ManualClock } from "./captcha-clock.js";
import { captchaLimits, captchaPrices } from "./captcha-limits.js";
import { type ProgramRun, runAsBrowser } from "./captcha-run-program.js";
import { ABSENT, solve, telemetry, trail } from "./captcha-samples.js";
import { plainSiteKey } from "./captcha-site-key.js";
import { KnownTasks } from "./captcha-tasks.js";
import { again } from "./retry-storage.js";

export * from "./captcha-samples.js";

export const SITE_KEY = "shop-widget-01";
export const PAGE = "https://shop.example.com";
/** Origin of the service in browsers; tests connect to it on loopback. */
export const ORIGIN = "https://captcha.example.net";
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

export const siteKey = (settings: Partial<CaptchaSiteKey> = {}): CaptchaSiteKey =>
  plainSiteKey(SITE_KEY, "shop", { hostnames: ["shop.example.com"], powBits: 4, ...settings });

export interface ApiOptions {
  siteKeys?: CaptchaSiteKey[];
  settings?: Partial<CaptchaSettings>;
  states?: (own: StateStore) => StateStore;
  checkReply?: CheckReply;
  mostBits?: number;
  /** Replaces the hashes that are computed here. */
  memory?: Partial<MemoryChecks>;
  /**
   * Calls the handlers without a connection, for thousands of calls. Every client address is 203.0.113.7
   * then.
   */
  direct?: boolean;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The frame API on a real server, with memory stores, real tokens and a manual clock. */
export class CaptchaApi {
  readonly clock = new ManualClock();
  readonly tasks = new KnownTasks();
  readonly metrics = new MetricsRegistry();
  readonly audit: CaptchaAudit;
  #configuration: CaptchaConfiguration;
  #live: LiveConfiguration;
  #parts: CaptchaParts | undefined;
  #server: CaptchaServer | undefined;
  #url = "";
  /** Set if calls need no connection. */
  endpoint: Endpoint | undefined;

  private constructor(configuration: CaptchaConfiguration) {
    this.#configuration = configuration;
    this.#live = liveConfiguration(configuration, ORIGIN);
    const isKnown = (id: string) => this.#live.siteKeys.has(id);
    this.audit = new CaptchaAudit({ clock: this.clock, metrics: this.metrics, report: () => {}, isKnown });
  }

  static async open(options: ApiOptions = {}): Promise<CaptchaApi> {
    const api = new CaptchaApi(configurationOf(options));
    await api.#open(options);
    return api;
  }

  get parts(): CaptchaParts {
    if (this.#parts === undefined) throw new Error("the API is not open");
    return this.#parts;
  }

  async #open({ states, checkReply = realCheck, mostBits = 6, direct, memory }: ApiOptions): Promise<void> {
    const { clock, metrics, tasks, audit } = this;
    const configuration = () => this.#live;
    const report = () => {};
    const { settings, secrets } = this.#live;
    const stores = await openStores(settings, secrets, clock);
    // At the start of a Redis, the first operations may exceed the timeout of the service.
    await again(() => stores.states.get("usable"));
    const parts: CaptchaParts = {
      clock,
      configuration,
      claims: stores.claims,
      states: states?.(stores.states) ?? stores.states,
      tokens: await openTokens(stores.keyRecords, clock, { issuer: () => settings.url }),
      tasks,
      // The thread needs compiled code; this computes the same hash here.
      memory: { isBehind: false, hash: memoryHash, close: async () => {}, ...memory },
      rates: new PrefixRates(clock, () => this.#live.secrets.address),
      prices: new TokenPrices({
        ...{ clock, metrics, report },
        settings: () => this.#live.settings.price,
        secret: () => this.#live.secrets.address,
      }),
      audit,
      metrics,
      report,
    };
    this.#parts = parts;
    const endpoints = [
      apiEndpoints(parts, {
        checkReply,
        mostBits,
      }),
    ];
    if (direct) this.endpoint = endpoints[0];
    this.#server = new CaptchaServer({ endpoints, configuration, clock, report });
    const { port } = await this.#server.accept({ port: 0 });
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Replaces the configuration from now on. */
  configure(change: (configuration: CaptchaConfiguration) => void): void {
    const next = structuredClone(this.#configuration);
    change(next);
    this.#configuration = next;
    this.#live = liveConfiguration(next, ORIGIN);
  }

  visitor(from: Visitor["from"] = {}): Visitor {
    return new Visitor(this.#url, this, from);
  }

  async close(): Promise<void> {
    await this.#server?.close(0);
    await this.audit.close(0);
    await Promise.all([this.parts.states.close(), this.parts.claims.close()]);
  }
}

function configurationOf({ siteKeys = [siteKey()], settings = {} }: ApiOptions): CaptchaConfiguration {
  const secret = Buffer.alloc(32, 7).toString("base64");
  return {
    settings: {
      url: ORIGIN,
      store: { type: "memory" },
      trustedAddresses: ["127.0.0.0/8"],
      testing: false,
      audit: [],
      hostingNetworks: [],
      limits: captchaLimits({ sessions: 100_000, claims: 1_000, sessionsSoft: 1_000, sessionsHard: 2_000 }),
      price: captchaPrices(),
      ...settings,
    },
    customers: [{ id: "shop", enabled: true }],
    siteKeys,
    apiKeys: [],
    secrets: {
      "api-key": secret,
      "ip-binding": secret,
      address: secret,
      "key-ring": secret,
      program: secret,
    },
  };
}

/** Age in ms after which a frame requests another program. */
const OLD_MS = 50_000;

export class Visitor {
  readonly from: { address?: string; agent?: string; headers?: Record<string, string> };
  readonly url: string;
  readonly #api: CaptchaApi;
  /** Time at which the program arrived; `#run` is its number in the session. */
  #given = 0;
  #run = 0;
  #siteKey = SITE_KEY;
  session = "";
  pow: PowChallenge | undefined;
  ref = "";
  task = "";

  constructor(url: string, api: CaptchaApi, from: Visitor["from"]) {
    this.url = url;
    this.#api = api;
    this.from = from;
  }

  async call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    if (this.#api.endpoint !== undefined) return await this.#direct(this.#api.endpoint, path, body);
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: ORIGIN, ...this.#fields(), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  async #direct(endpoint: Endpoint, path: string, body: unknown): Promise<Answered> {
    const handler = endpoint(`/api/v1${path}`);
    if (handler === null) throw new Error(`no handler for ${path}`);
    const headers = new HeaderList("", []);
    const fields = { ...this.#fields(), "Content-Type": "application/json", Origin: ORIGIN };
    for (const [name, value] of Object.entries(fields)) headers.append(name, value);
    const answer = await handler({
      method: "POST",
      path: `/api/v1${path}`,
      query: "",
      headers,
      body: Buffer.from(JSON.stringify(body)),
      client: { text: "203.0.113.7", family: 4, prefix: "203.0.113.0/24" },
    });
    const parsed: Record<string, unknown> = JSON.parse(String(answer.body));
    return { status: answer.status, headers: new Headers(answer.headers), body: parsed };
  }

  async part(path: string): Promise<{ status: number; headers: Headers; body: Buffer }> {
    const response = await fetch(`${this.url}/api/v1${path}`, { headers: this.#fields() });
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body };
  }

  #fields(): Record<string, string> {
    const { address = "203.0.113.7", agent = FIREFOX, headers } = this.from;
    return {
      "X-Forwarded-For": address,
      "User-Agent": agent,
      "Accept-Language": "ru,en;q=0.7",
      "Sec-Fetch-Site": "same-origin",
      "Sec-Fetch-Dest": "empty",
      ...headers,
    };
  }

  async begin(fields: Record<string, unknown> = {}): Promise<Answered> {
    const answer = await this.call("/session", { site_key: SITE_KEY, origin: PAGE, ...fields });
    if (answer.status === 200) {
      this.session = String(answer.body["session"]);
      this.pow = answer.body["pow"] as PowChallenge;
      this.#given = this.#api.clock.now();
      this.#run = 1;
      this.#siteKey = String(fields["site_key"] ?? SITE_KEY);
    }
    return answer;
  }

  async tick(seen: unknown = telemetry()): Promise<Answered> {
    if (this.pow === undefined) throw new Error("no session was begun");
    if (this.#api.clock.now() - this.#given > OLD_MS) await this.renew();
    this.#api.clock.advance(4_000);
    const answer = await this.call("/score", {
      session: this.session,
      pow: solve(this.pow),
      ...this.seen(seen),
    });
    this.ref = String(answer.body["ref"] ?? "");
    return answer;
  }

  /** Requests another program, as the frame does when the last one is old. */
  async renew(): Promise<Answered> {
    const answer = await this.call("/program", { session: this.session });
    if (answer.status === 200) {
      this.#run++;
      this.#given = this.#api.clock.now();
    }
    return answer;
  }

  /** Continues the session of another visitor. */
  adopt(other: Visitor): void {
    this.session = other.session;
    this.pow = other.pow;
    this.#given = other.#given;
    this.#run = other.#run;
    this.#siteKey = other.#siteKey;
  }

  /**
   * Data that a browser sends at a tick besides its work: telemetry, and the results of the session's
   * program.
   */
  seen(
    telemetry: unknown,
    change: Partial<Pick<ProgramRun, "run" | "change">> = {},
  ): { telemetry?: unknown; program: ProgramAnswer } {
    const { secrets } = this.#api.parts.configuration();
    const sent = telemetry === ABSENT ? undefined : telemetry;
    const ms = this.#api.clock.now() - this.#given;
    const owner = {
      session: this.session,
      site_key: this.#siteKey,
      hostname: new URL(PAGE).hostname,
      run: this.#run,
    };
    const program = runAsBrowser({ secret: secrets.program, telemetry: sent, ms, ...owner, ...change });
    return telemetry === ABSENT ? { program } : { telemetry, program };
  }

  /** Starts a session and ticks. */
  async arrive(seen: unknown = telemetry(), fields: Record<string, unknown> = {}): Promise<Answered> {
    const begun = await this.begin(fields);
    return begun.status === 200 ? await this.tick(seen) : begun;
  }

  /** Requests a task, does the required work and waits as long as required. */
  async next(type?: TaskType): Promise<Answered> {
    let answer = await this.ask(type);
    while (answer.body["outcome"] === "pow" || answer.body["outcome"] === "wait") {
      const { outcome, pow, wait_ms } = answer.body;
      if (outcome === "wait") this.#api.clock.advance(Number(wait_ms));
      answer = await this.ask(type, outcome === "pow" ? solve(pow as PowChallenge) : undefined);
    }
    return answer;
  }

  async ask(type?: TaskType, pow?: unknown): Promise<Answered> {
    const answer = await this.call("/task/next", { session: this.session, type, pow });
    if (answer.body["outcome"] === "task") this.task = String(answer.body["task"]);
    return answer;
  }

  /** Takes the way without a puzzle: does the required work and waits as long as required. */
  async bePatient(way: unknown = trail()): Promise<Answered> {
    let answer = await this.patience(way);
    while (answer.body["outcome"] === "pow" || answer.body["outcome"] === "wait") {
      const { outcome, pow, wait_ms } = answer.body;
      if (outcome === "wait") this.#api.clock.advance(Number(wait_ms));
      answer = await this.patience(way, outcome === "pow" ? solve(pow as PowChallenge) : undefined);
    }
    return answer;
  }

  patience(way: unknown = trail(), pow?: unknown): Promise<Answered> {
    return this.call("/patience", { session: this.session, trail: way, pow });
  }

  answer(reply: unknown, way: unknown = trail(), task = this.task): Promise<Answered> {
    return this.call(`/task/${task}/answer`, { session: this.session, reply, trail: way });
  }
}
