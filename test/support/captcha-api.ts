import { createHash } from "node:crypto";
import type { CaptchaSiteKey, TaskType } from "../../runtime/abi/captcha.js";
import { apiEndpoints } from "../../runtime/captcha/api/endpoints.js";
import { CaptchaAudit } from "../../runtime/captcha/audit/audit.js";
import type {
  CaptchaConfiguration,
  CaptchaParts,
  CaptchaSettings,
  CheckReply,
  LiveConfiguration,
  PreparedTask,
  StateStore,
  TaskAnswer,
  TaskSource,
} from "../../runtime/captcha/contract.js";
import { liveConfiguration } from "../../runtime/captcha/live.js";
import type { PowChallenge, TaskReply, TaskTrail, Telemetry } from "../../runtime/captcha/protocol.js";
import { PrefixRates } from "../../runtime/captcha/rate/prefix-rates.js";
import { type CaptchaServer, captchaServer } from "../../runtime/captcha/server.js";
import { openStores } from "../../runtime/captcha/store/open.js";
import { openTokens } from "../../runtime/captcha/token/tokens.js";
import { MetricsRegistry } from "../../runtime/metrics/registry.js";
import { ManualClock } from "./captcha-clock.js";

export const SITE_KEY = "shop-widget-01";
export const PAGE = "https://shop.example.com";
/** The service as browsers see it; tests reach it on loopback. */
export const ORIGIN = "https://captcha.example.net";
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

export const siteKey = (settings: Partial<CaptchaSiteKey> = {}): CaptchaSiteKey => ({
  id: SITE_KEY,
  customer: "shop",
  enabled: true,
  hostnames: ["shop.example.com"],
  threshold: 0.5,
  challengeMode: "adaptive",
  taskTypes: ["shapes", "rings", "text", "audio"],
  powBits: 4,
  ipBinding: "prefix",
  tokenTtl: 300,
  exposeScore: false,
  shadow: false,
  languages: ["ru", "en"],
  theme: "auto",
  ...settings,
});

/** A task source whose answers a test knows: no drawing, two small pictures. */
export class KnownTasks implements TaskSource {
  readonly asked: { type: TaskType; level: number }[] = [];
  readonly made: PreparedTask[] = [];
  #number = 0;

  async next(type: TaskType, level: number): Promise<PreparedTask> {
    this.asked.push({ type, level });
    const n = this.#number++;
    const answer = knownAnswers[type](n);
    const picture = (name: string) => ({
      name,
      kind: "png" as const,
      width: 4,
      height: 4,
      body: Buffer.from(`${name} ${n}`),
    });
    const parts =
      type === "audio"
        ? [{ name: "sound", kind: "wav" as const, body: Buffer.from(`sound ${n}`) }]
        : [picture("grid"), picture("strip")];
    const count = "cells" in answer ? 3 : "angles" in answer ? 2 : "text" in answer ? 5 : 4;
    const task = { type, parts, count, answer };
    this.made.push(task);
    if (this.made.length > 100) this.made.shift();
    return task;
  }

  /** What solves the latest task. */
  solution(): TaskReply {
    const answer = this.made.at(-1)?.answer;
    if (answer === undefined) throw new Error("no task was made");
    return replyTo(answer);
  }

  async close(): Promise<void> {}
}

const knownAnswers: Record<TaskType, (n: number) => TaskAnswer> = {
  shapes: (n) => ({ type: "shapes", cells: [n % 12, (n + 5) % 12, (n + 7) % 12] }),
  rings: (n) => ({ type: "rings", angles: [30 + (n % 300), 330 - (n % 300)] }),
  text: () => ({ type: "text", text: "BKRTW" }),
  audio: (n) => ({ type: "audio", groups: [2 + (n % 6), 3, 4, 7] }),
};

export function replyTo(answer: TaskAnswer): TaskReply {
  if (answer.type === "shapes") return { cells: answer.cells };
  if (answer.type === "rings") return { angles: answer.angles };
  return { text: answer.type === "text" ? answer.text : answer.groups.join("") };
}

/** Exact comparison. */
const sameReply: CheckReply = (answer, reply) => JSON.stringify(replyTo(answer)) === JSON.stringify(reply);

/** A tick of a person with a mouse. No two are the same. */
export function telemetry(
  changes: Partial<Telemetry> = {},
  activation: Partial<Telemetry["activation"]> = {},
) {
  const noise = ticks++ / 1_000;
  const full: Telemetry = {
    v: 1,
    marks: [],
    contradictions: [],
    activation: {
      kind: "mouse",
      trusted: true,
      samples: 24,
      path_ratio: 1.17 + noise,
      speed_variation: 0.6,
      turns: 3,
      pause_ms: 120,
      press_ms: 86,
      off_centre: 5.4,
      radius: 0,
      ...activation,
    },
    load_to_tick_ms: 4_200 + noise,
    hidden_at_tick: false,
    focused: true,
    visible: true,
    ...changes,
  };
  return full;
}
let ticks = 0;

export const trail = (changes: Partial<TaskTrail> = {}): TaskTrail => ({
  steps: [1_900, 2_700, 3_900],
  input: "mouse",
  trusted: 1,
  pointer_samples: 60,
  ...changes,
});

/** Solves a challenge, as the worker in a browser does. */
export function solve({ id, salt, bits, n }: PowChallenge): { id: string; answers: number[]; ms: number } {
  const input = Buffer.alloc(21);
  input.write(salt, 0, 16, "hex");
  const answers: number[] = [];
  for (let index = 0; index < n; index++) {
    for (let x = 0; ; x++) {
      if (answers.includes(x)) continue;
      input.writeUInt8(index, 16);
      input.writeUInt32BE(x, 17);
      const head = createHash("sha256").update(input).digest().readUInt32BE(0);
      if (Math.clz32(head) < bits) continue;
      answers.push(x);
      break;
    }
  }
  return { id, answers, ms: 80 };
}

export interface ApiOptions {
  siteKeys?: CaptchaSiteKey[];
  settings?: Partial<CaptchaSettings>;
  states?: (own: StateStore) => StateStore;
  checkReply?: CheckReply;
  mostBits?: number;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The frame API behind a real server, with memory stores, real tokens and a clock that stands. */
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

  async #open({ states, checkReply = sameReply, mostBits = 6 }: ApiOptions): Promise<void> {
    const { clock, metrics, tasks, audit } = this;
    const configuration = () => this.#live;
    const report = () => {};
    const { settings, secrets } = this.#live;
    const stores = await openStores(settings, secrets, clock);
    const parts: CaptchaParts = {
      clock,
      configuration,
      claims: stores.claims,
      states: states?.(stores.states) ?? stores.states,
      tokens: await openTokens(stores.keyRecords, clock, { issuer: () => settings.url }),
      tasks,
      rates: new PrefixRates(clock, () => this.#live.secrets.address),
      audit,
      metrics,
      report,
    };
    this.#parts = parts;
    const endpoints = [apiEndpoints(parts, { checkReply, mostBits })];
    this.#server = captchaServer({ endpoints, configuration, clock, report });
    const { port } = await this.#server.accept({ port: 0 });
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Another configuration from now on. */
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
      limits: { sessions: 100_000, claims: 1_000, sessionsSoft: 1_000, sessionsHard: 2_000 },
      ...settings,
    },
    customers: [{ id: "shop", enabled: true }],
    siteKeys,
    apiKeys: [],
    secrets: { "api-key": secret, "ip-binding": secret, address: secret, "key-ring": secret },
  };
}

/** A browser that calls the frame API. */
export class Visitor {
  readonly from: { address?: string; agent?: string; headers?: Record<string, string> };
  readonly #url: string;
  readonly #api: CaptchaApi;
  session = "";
  pow: PowChallenge | undefined;
  ref = "";
  task = "";

  constructor(url: string, api: CaptchaApi, from: Visitor["from"]) {
    this.#url = url;
    this.#api = api;
    this.from = from;
  }

  async call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
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

  async part(path: string): Promise<{ status: number; headers: Headers; body: Buffer }> {
    const response = await fetch(`${this.#url}/api/v1${path}`, { headers: this.#fields() });
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
    }
    return answer;
  }

  async tick(seen: unknown = telemetry()): Promise<Answered> {
    if (this.pow === undefined) throw new Error("no session was begun");
    this.#api.clock.advance(4_000);
    const answer = await this.call("/score", {
      session: this.session,
      pow: solve(this.pow),
      ...(seen === undefined ? {} : { telemetry: seen }),
    });
    this.ref = String(answer.body["ref"] ?? "");
    return answer;
  }

  /** Begins and ticks. */
  async arrive(seen: unknown = telemetry(), fields: Record<string, unknown> = {}): Promise<Answered> {
    const begun = await this.begin(fields);
    return begun.status === 200 ? await this.tick(seen) : begun;
  }

  /** Asks for a task, brings the work that is asked for and waits as long as it is told. */
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

  answer(reply: unknown, way: unknown = trail(), task = this.task): Promise<Answered> {
    return this.call(`/task/${task}/answer`, { session: this.session, reply, trail: way });
  }
}

/** Claims of a token, without looking at its signature. */
export const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString("utf8"));

/** A tick that leads to a task: the browser says it is driven. */
export const botTick = () => telemetry({ marks: ["webdriver"] });
