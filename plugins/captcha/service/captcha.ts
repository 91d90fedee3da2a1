import { isIP } from "node:net";
import type { MetricFamily, Metrics } from "../../../runtime/abi/plugin-api.js";
import { MetricsRegistry, ProcessMetrics } from "../../../runtime/process/service-api.js";
import { apiEndpoints } from "./api/endpoints.js";
import { assetEndpoints } from "./assets/endpoints.js";
import { CaptchaAudit } from "./audit/audit.js";
import {
  type CaptchaClock,
  type CaptchaConfiguration,
  type CaptchaParts,
  type CaptchaSettings,
  type Endpoint,
  type LiveConfiguration,
  type Prices,
  STATE_KINDS,
  type StateKind,
  type StateStore,
  type TaskSource,
  type Tokens,
} from "./contract.js";
import { MemoryThread } from "./pow/memory-checks.js";
import { TokenPrices } from "./price/token-prices.js";
import { PrefixRates } from "./rate/prefix-rates.js";
import { CaptchaServer } from "./server.js";
import type { CaptchaStatistics } from "./statistics.js";
import { type CaptchaStores, openStores } from "./store/open.js";
import { checkReply, startTasks } from "./tasks/tasks.js";
import { openTokens } from "./token/tokens.js";
import { feedbackEndpoint } from "./verify/feedback.js";
import { testSiteKey } from "./verify/test-keys.js";
import { verifyEndpoint } from "./verify/verify.js";

export interface CaptchaOptions {
  /** Port 0: any free port. `fd`: already bound. */
  listener: { host: string; port: number; fd?: number };
  report?: CaptchaParts["report"];
  /** Called for each write that the store rejects until a restart. `isAsked`: a request waits for the write. */
  storeFailed?: (isAsked: boolean) => void;
  /** Default: the system clock. */
  clock?: CaptchaClock;
  /** A test that knows the answers passes its own. */
  tasks?: TaskSource;
}

export type RunningCaptcha = Omit<Captcha, "open">;

const SYSTEM_CLOCK: CaptchaClock = { now: () => Date.now(), monotonic: () => performance.now() };

const AUDIT_MS = 5_000;
const SILENT: CaptchaParts["report"] = () => {};

/** @throws Error with a sentence for the operator; nothing is left open then */
export async function startCaptcha(
  configuration: CaptchaConfiguration,
  options: CaptchaOptions,
): Promise<RunningCaptcha> {
  const { listener, clock = SYSTEM_CLOCK, report = SILENT, storeFailed = () => {} } = options;
  const captcha = new Captcha(configuration, { listener, clock, report, storeFailed });
  try {
    await captcha.open(options.tasks);
    return captcha;
  } catch (error) {
    await captcha.close(0);
    throw error;
  }
}

/** Levels that are not read in time keep their values. Control waits for 500 ms. */
const LEVELS_MS = 300;

/** Call `open` first and `close` last. */
class Captcha {
  address: { host: string; port: number };
  readonly #options: Required<Omit<CaptchaOptions, "tasks">>;
  readonly #registry = new MetricsRegistry();
  readonly #process = new ProcessMetrics(this.#registry, "captcha");
  readonly #evicted = new Map<StateKind, number>();
  readonly #audit: CaptchaAudit;
  #configured: CaptchaConfiguration;
  #live: LiveConfiguration;
  #server: CaptchaServer | undefined;
  #stores: CaptchaStores | undefined;
  #tokens: Tokens | undefined;
  #tasks: TaskSource | undefined;
  #memory: MemoryThread | undefined;
  #prices: Prices | undefined;
  #doubts = "";

  constructor(configuration: CaptchaConfiguration, options: Required<Omit<CaptchaOptions, "tasks">>) {
    const { host, port } = options.listener;
    this.address = { host, port };
    this.#options = options;
    this.#configured = configuration;
    this.#live = liveConfiguration(configuration, urlOfListener(this.address));
    this.#audit = new CaptchaAudit({
      clock: options.clock,
      metrics: this.#registry,
      report: (event, fields) => options.report(event, fields as Parameters<CaptchaParts["report"]>[1]),
      isKnown: (siteKey) => this.#live.siteKeys.has(siteKey) || testSiteKey(siteKey) !== undefined,
    });
  }

  /** {captcha_url} */
  get url(): string {
    return this.#live.settings.url;
  }

  async open(tasks: TaskSource | undefined): Promise<void> {
    const { clock, report, listener, storeFailed } = this.#options;
    const { settings, secrets } = this.#live;
    this.#stores = await openStores(settings, secrets, clock, report, storeFailed);
    const { claims, states, keyRecords } = this.#stores;
    this.#tokens = await openTokens(keyRecords, clock, { issuer: () => this.url });
    this.#tasks = tasks ?? startTasks({ report, metrics: this.#registry });
    this.#memory = new MemoryThread(report);
    this.#audit.send(settings.audit);
    const prices = new TokenPrices({
      ...{ clock, report, metrics: this.#registry },
      settings: () => this.#live.settings.price,
      secret: () => this.#live.secrets.address,
    });
    this.#prices = prices;
    const parts: CaptchaParts = {
      ...{ clock, claims, states, report, prices, metrics: this.#registry },
      ...{ tokens: this.#tokens, tasks: this.#tasks, audit: this.#audit, memory: this.#memory },
      configuration: () => this.#live,
      rates: new PrefixRates(clock, () => this.#live.secrets.address),
    };
    const configuration = parts.configuration;
    this.#server = new CaptchaServer({ endpoints: endpointsOf(parts), configuration, clock, report });
    const { fd, host, port } = listener;
    const bound = await this.#server.accept(fd === undefined ? { host, port } : { fd });
    this.address = { host, port: bound.port };
    this.update(this.#configured);
  }

  /** Applies to all following requests; the store and the keys stay as at the start. */
  update(configuration: CaptchaConfiguration): void {
    this.#configured = configuration;
    this.#live = liveConfiguration(configuration, urlOfListener(this.address));
    this.#audit.send(configuration.settings.audit);
    const doubts = doubtsAbout(this.#live.settings, configuration.siteKeys);
    if (JSON.stringify(doubts) === this.#doubts) return;
    this.#doubts = JSON.stringify(doubts);
    for (const doubt of doubts) this.#options.report("captcha_unsafe", { reason: doubt });
  }

  statistics(): CaptchaStatistics {
    return { ...this.#audit.statistics(), under_attack: this.#prices?.attacks() ?? {} };
  }

  decision(requestId: string): object | undefined {
    return this.#audit.find(requestId);
  }

  metrics(): Promise<MetricFamily[]> {
    // An attack ends without a visitor, too.
    this.#prices?.attacks();
    const level = (name: string, help: string, value: number) =>
      this.#registry.gauge(name, help, {}).set(value);
    level("gw_captcha_connections", "Open connections of the captcha.", this.#server?.connections ?? 0);
    if (this.#stores !== undefined) stateMetrics(this.#registry, this.#stores.states, this.#evicted);
    return this.#registry.collect(LEVELS_MS);
  }

  /** @returns id of the new signing key @throws StorageError */
  rotate(): Promise<string> {
    if (!this.#tokens) throw new Error("the captcha does not serve yet");
    return this.#tokens.rotate();
  }

  /** Drains requests in flight up to the deadline in ms. */
  async close(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    this.#process.close();
    await this.#server?.close(deadlineMs);
    await this.#tasks?.close();
    await this.#memory?.close();
    await this.#audit.close(Math.max(0, Math.min(AUDIT_MS, end - performance.now())));
    await this.#stores?.claims.close();
    await this.#stores?.states.close();
  }
}

/** Order of lookup: verification first, which must not wait for anything. */
function endpointsOf(parts: CaptchaParts): Endpoint[] {
  return [
    verifyEndpoint(parts),
    feedbackEndpoint(parts),
    apiEndpoints(parts, { checkReply }),
    assetEndpoints(parts),
  ];
}

function stateMetrics(metrics: Metrics, states: StateStore, told: Map<StateKind, number>): void {
  const usage = states.usage();
  for (const kind of STATE_KINDS) {
    const { entries, bytes, evicted } = usage[kind];
    const gauge = (name: string, help: string, value: number) =>
      metrics.gauge(name, help, { kind }).set(value);
    if (entries !== undefined)
      gauge("gw_captcha_state_entries", "Open sessions, answers of tasks, pictures and sound.", entries);
    if (bytes !== undefined)
      gauge("gw_captcha_state_bytes", "Size of these in bytes, as the limits count it.", bytes);
    const help = "Evicted entries since the start.";
    metrics.counter("gw_captcha_state_evicted_total", help, { kind }).add(evicted - (told.get(kind) ?? 0));
    told.set(kind, evicted);
  }
}

/** @param url used if the settings have none */
export function liveConfiguration(
  { settings, customers, siteKeys, apiKeys, secrets, adminKeys = [] }: CaptchaConfiguration,
  url: string,
): LiveConfiguration {
  const byId = <Item extends { id: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.id, item]));
  const key = (name: keyof typeof secrets) => Buffer.from(secrets[name], "base64");
  return {
    settings: settings.url === "" ? { ...settings, url } : settings,
    customers: byId(customers),
    siteKeys: byId(siteKeys),
    apiKeys: byId(apiKeys),
    secrets: {
      "api-key": key("api-key"),
      "ip-binding": key("ip-binding"),
      address: key("address"),
      "key-ring": key("key-ring"),
      program: key("program"),
    },
    adminKeys: new Set(adminKeys),
  };
}

/** Address for programs on this machine: loopback for a listener on all addresses. */
export function urlOfListener({ host, port }: { host: string; port: number }): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
}

/** One sentence each, for the operator. */
export function doubtsAbout(
  { url, testing }: Pick<CaptchaSettings, "url" | "testing">,
  siteKeys: CaptchaConfiguration["siteKeys"],
): string[] {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
  const shared = siteKeys.find(({ hostnames }) => hostnames.includes(hostname));
  const doubts: string[] = [];
  if (protocol === "http:" && !isLocal)
    doubts.push(
      `captcha.url (${url}) is not https: tokens can be read on the way, and pages served by https do not show the widget`,
    );
  if (isLocal) doubts.push(`captcha.url (${url}) is an address that only browsers of this machine reach`);
  else if (shared !== undefined)
    doubts.push(
      `captcha.url (${url}) is the host of pages with the widget (site key ${shared.id}): their scripts can reach into its frames; give the service a host of its own`,
    );
  if (testing)
    doubts.push("captcha.testing is enabled: everybody can use the test keys, with each other alone");
  return doubts;
}
