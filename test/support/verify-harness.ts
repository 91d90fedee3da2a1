import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { CaptchaSiteKey } from "../../plugins/captcha/captcha-table.js";
import { liveConfiguration } from "../../plugins/captcha/service/captcha.js";
import type {
  CaptchaClock,
  CaptchaConfiguration,
  CaptchaSettings,
  ClientAddress,
  Endpoint,
  LiveConfiguration,
  TokenClaims,
  VerificationRecord,
} from "../../plugins/captcha/service/contract.js";
import { TokenPrices } from "../../plugins/captcha/service/price/token-prices.js";
import { PrefixRates } from "../../plugins/captcha/service/rate/prefix-rates.js";
import { CaptchaServer } from "../../plugins/captcha/service/server.js";
import type { KeyRecord } from "../../plugins/captcha/service/store/key-records.js";
import { type CaptchaStores, openStores } from "../../plugins/captcha/service/store/open.js";
import { openTokens } from "../../plugins/captcha/service/token/tokens.js";
import { apiKeyDigest, newApiKey } from "../../plugins/captcha/service/verify/api-key.js";
import { addressBinding } from "../../plugins/captcha/service/verify/binding.js";
import { feedbackEndpoint } from "../../plugins/captcha/service/verify/feedback.js";
import { verifyEndpoint } from "../../plugins/captcha/service/verify/verify.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { ManualClock } from "./captcha-clock.js";
import { captchaLimits, captchaPrices } from "./captcha-limits.js";
import { plainSiteKey } from "./captcha-site-key.js";

export const SITE = "site-key-of-shop";
export const SECOND_SITE = "site-key-of-blog";
export const FOREIGN_SITE = "site-key-of-other";

const secret = () => randomBytes(32).toString("base64");

export const newSecrets = (): CaptchaConfiguration["secrets"] => ({
  "api-key": secret(),
  "ip-binding": secret(),
  address: secret(),
  "key-ring": secret(),
  program: secret(),
});

export const SETTINGS: CaptchaSettings = {
  url: "https://captcha.example",
  store: { type: "memory" },
  trustedAddresses: [],
  testing: false,
  audit: [],
  hostingNetworks: [],
  limits: captchaLimits({ sessions: 1_000, claims: 10_000, sessionsSoft: 20, sessionsHard: 60 }),
  price: captchaPrices(),
};

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** {} if the text is no JSON object. */
  body: Record<string, unknown>;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** Sends a request with exactly this target. */
export function ask(
  port: number,
  target: string,
  { method = "GET", headers = {}, body }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: target, method, headers, agent: false as const };
    const outgoing = httpRequest(options, (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed(text) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export interface VerifyHarnessOptions {
  clock?: CaptchaClock;
  settings?: Partial<CaptchaSettings>;
  siteKeys?: CaptchaSiteKey[];
  /** Shared with another harness. Default: opened by this one. */
  stores?: CaptchaStores;
  /** Shared with another harness. */
  secrets?: CaptchaConfiguration["secrets"];
  /** Endpoints in front of the verification. */
  endpoints?: Endpoint[];
  /** API keys of the two customers, shared with another harness. */
  keys?: HarnessKeys;
}

export type HarnessKeys = Record<"shop" | "other", { id: string; key: string }>;

/** A verification endpoint on a real listener, with two customers: "shop" owns two site keys, "other" one. */
export class CaptchaHarness {
  static async start(options: VerifyHarnessOptions = {}): Promise<CaptchaHarness> {
    const clock = options.clock ?? new ManualClock();
    const secrets = options.secrets ?? newSecrets();
    const settings = { ...SETTINGS, ...options.settings };
    const keyring = { "key-ring": Buffer.from(secrets["key-ring"], "base64") };
    const harness = new CaptchaHarness(clock, settings, secrets, options);
    harness.stores = options.stores ?? (await openStores(settings, keyring, clock, harness.report));
    await harness.#open(options);
    return harness;
  }

  readonly clock: CaptchaClock;
  readonly metrics = new MetricsRegistry();
  readonly records: VerificationRecord[] = [];
  readonly reports: { event: string; fields: object }[] = [];
  readonly keys: HarnessKeys;
  readonly secrets: CaptchaConfiguration["secrets"];
  stores!: CaptchaStores;
  tokens!: Awaited<ReturnType<typeof openTokens>>;
  rates!: PrefixRates;
  prices!: TokenPrices;
  configuration: LiveConfiguration;
  port = 0;
  #server: CaptchaServer | undefined;
  readonly #owns: boolean;

  private constructor(
    clock: CaptchaClock,
    settings: CaptchaSettings,
    secrets: CaptchaConfiguration["secrets"],
    options: VerifyHarnessOptions,
  ) {
    this.clock = clock;
    this.secrets = secrets;
    this.keys = options.keys ?? { shop: newApiKey(), other: newApiKey() };
    this.#owns = options.stores === undefined;
    const pepper = Buffer.from(secrets["api-key"], "base64");
    const key = (customer: string, { id, key: text }: { id: string; key: string }) => ({
      id,
      customer,
      enabled: true,
      expires: null,
      digest: apiKeyDigest(pepper, text),
    });
    this.configuration = liveConfiguration(
      {
        settings,
        customers: [
          { id: "shop", enabled: true },
          { id: "other", enabled: true },
        ],
        siteKeys: options.siteKeys ?? [
          plainSiteKey(SITE, "shop"),
          plainSiteKey(SECOND_SITE, "shop"),
          plainSiteKey(FOREIGN_SITE, "other"),
        ],
        apiKeys: [key("shop", this.keys.shop), key("other", this.keys.other)],
        secrets,
      },
      settings.url,
    );
  }

  readonly report = (event: string, fields: object = {}): void => {
    this.reports.push({ event, fields });
  };

  async #open(options: VerifyHarnessOptions): Promise<void> {
    const { clock, metrics, report } = this;
    const { claims, states, keyRecords } = this.stores;
    this.tokens = await openTokens(keyRecords, clock, { issuer: () => "https://captcha.example" });
    this.rates = new PrefixRates(clock, () => this.configuration.secrets.address);
    const configuration = () => this.configuration;
    this.prices = new TokenPrices({
      ...{ clock, metrics, report },
      settings: () => this.configuration.settings.price,
      secret: () => this.configuration.secrets.address,
    });
    const audit = {
      decision: () => {},
      verification: (record: VerificationRecord) => void this.records.push({ ...record }),
      find: () => undefined,
    };
    const { tokens, rates, prices } = this;
    const parts = { clock, claims, states, configuration, audit, metrics, report, tokens, rates, prices };
    const endpoints = [...(options.endpoints ?? []), verifyEndpoint(parts), feedbackEndpoint(parts)];
    this.#server = new CaptchaServer({ endpoints, configuration, clock, report });
    this.port = (await this.#server.accept({ port: 0 })).port;
  }

  change(id: string, settings: Partial<CaptchaSiteKey>): void {
    const siteKeys = new Map(this.configuration.siteKeys);
    const before = siteKeys.get(id);
    if (before === undefined) throw new Error(`no site key ${id}`);
    siteKeys.set(id, { ...before, ...settings });
    this.configuration = { ...this.configuration, siteKeys };
  }

  claims(settings: Partial<TokenClaims> = {}): TokenClaims {
    const request_id = `req_${randomBytes(16).toString("hex")}`;
    return { request_id, site_key: SITE, hostname: "shop.example", how: "score", ...settings };
  }

  /** URL with which a backend verifies a token of the site, with the visitor's address. */
  verifyUrl(token: string): string {
    return `http://127.0.0.1:${this.port}/${SITE}/verify?jwt=${token}&ip=203.0.113.7`;
  }

  issue(settings: Partial<TokenClaims> = {}, ttlMs = 300_000): Promise<string> {
    return this.tokens.issue(this.claims(settings), ttlMs);
  }

  /** Address claim of a token that was solved at `client`. */
  binding(client: ClientAddress, mode: CaptchaSiteKey["ipBinding"] = "prefix"): { ipb?: string } {
    const ipb = addressBinding(client, mode, this.configuration.secrets["ip-binding"]);
    return ipb === undefined ? {} : { ipb };
  }

  /**
   * Verifies as the customer's backend does.
   * @param query further parameters, encoded
   */
  verify(token: string, { site = SITE, key = this.keys.shop.key, query = "" } = {}): Promise<Answer> {
    const target = `/${site}/verify?jwt=${encodeURIComponent(token)}${query === "" ? "" : `&${query}`}`;
    return this.ask(target, { headers: { "X-Api-Key": key } });
  }

  ask(target: string, options?: Ask): Promise<Answer> {
    return ask(this.port, target, options);
  }

  /** Adds a signing key to the ring; the test has its private part. */
  async knownKey(settings: Partial<KeyRecord> = {}): Promise<SigningKey> {
    const key = new SigningKey(this.clock.now(), settings);
    await this.stores.keyRecords.put(key.record);
    // A process looks for unknown keys only at an interval.
    if (this.clock instanceof ManualClock) this.clock.advance(1_000);
    return key;
  }

  async stop(): Promise<void> {
    await this.#server?.close(1_000);
    if (!this.#owns) return;
    await this.stores.claims.close();
    await this.stores.states.close();
  }
}

const encoded = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Key that signs any payload in any form. */
export class SigningKey {
  readonly record: KeyRecord;
  readonly publicKey: Buffer;
  readonly #private: ReturnType<typeof generateKeyPairSync>["privateKey"];

  constructor(now: number, settings: Partial<KeyRecord> = {}) {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    this.#private = privateKey as never;
    this.publicKey = publicKey.export({ type: "spki", format: "der" });
    const kid = `test-${randomBytes(6).toString("hex")}`;
    const jwk = privateKey.export({ format: "jwk" });
    this.record = { kid, alg: "EdDSA", jwk, created: 0, notBefore: now, retireAt: null, ...settings };
  }

  get header(): Record<string, unknown> {
    return { alg: "EdDSA", kid: this.record.kid, typ: "spc+jwt" };
  }

  /** @param header default: the header that the service makes */
  sign(payload: unknown, header: unknown = this.header): string {
    const input = `${encoded(header)}.${encoded(payload)}`;
    return `${input}.${sign(null, Buffer.from(input), this.#private as never).toString("base64url")}`;
  }
}
