import type { Counter, Gauge, Metrics } from "../../../../runtime/abi/plugin-api.js";
import { isReservedPath } from "../../captcha-table.js";
import {
  type CaptchaHandler,
  type CaptchaParts,
  type CaptchaRequest,
  type ClientAddress,
  type Endpoint,
  StorageError,
  type VerificationRecord,
} from "../contract.js";
import { parseAddress } from "../http/address.js";
import { MAX_TOKEN_CHARACTERS } from "../token/tokens.js";
import { openWinning } from "../token/winning.js";
import { accepted, type Details, type Rejection, rejected, type Success, storageFault } from "./answer.js";
import { callerOf } from "./authentication.js";
import { type Parameters, verifyParameters } from "./parameters.js";
import { claimToken, countFailure } from "./single-use.js";
import { testSiteKey } from "./test-keys.js";
import { type Checked, checkToken, checkUse } from "./token-checks.js";

/** Seconds; a verification is a signature check and one write. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Counts in addition to the audit, which counts verifications of known callers. Labels are closed lists. */
class VerifyMetrics {
  readonly #metrics: Metrics;
  readonly #seconds: ReturnType<Metrics["histogram"]>;
  readonly #skew: Counter;
  readonly #refused = new Map<string, Counter>();
  readonly #used = new Map<string, Gauge>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#seconds = metrics.histogram("gw_captcha_verify_seconds", "Time of verifications.", {}, BUCKETS);
    this.#skew = metrics.counter(
      "gw_captcha_clock_skew_total",
      "Verified tokens from the future: clocks of nodes differ by more than 5 s.",
      {},
    );
  }

  /** @param known false: the caller had no valid key, so the audit has no record */
  done(fault: Rejection | undefined, known: boolean, ms: number): void {
    this.#seconds.observe(ms / 1_000);
    if (fault?.reason === "not_yet_valid") this.#skew.add(1);
    if (known) return;
    const reason = fault?.reason ?? fault?.error ?? "other";
    let counter = this.#refused.get(reason);
    if (counter === undefined) {
      const help = "Verification requests from unknown callers.";
      counter = this.#metrics.counter("gw_captcha_verify_refused_total", help, { reason });
      this.#refused.set(reason, counter);
    }
    counter.add(1);
  }

  keyUsed(id: string, epochMs: number): void {
    let gauge = this.#used.get(id);
    if (gauge === undefined) {
      const help = "When an API key was last used, epoch seconds.";
      gauge = this.#metrics.gauge("gw_captcha_api_key_last_used_timestamp_seconds", help, { key: id });
      this.#used.set(id, gauge);
    }
    gauge.set(Math.floor(epochMs / 1_000));
  }
}

export type VerifyParts = Pick<
  CaptchaParts,
  "clock" | "configuration" | "claims" | "states" | "tokens" | "rates" | "audit" | "metrics" | "report"
>;

/** `GET /<site_key>/verify` and its POST alias (reference 5.4). Steps 1 to 11 never use a token up. */
export function verifyEndpoint(parts: VerifyParts): Endpoint {
  const metrics = new VerifyMetrics(parts.metrics);
  return (path) => {
    const pathKey = siteKeyOfPath(path, "verify");
    return pathKey === undefined ? null : answering(parts, metrics, pathKey);
  };
}

function answering(parts: VerifyParts, metrics: VerifyMetrics, pathKey: string): CaptchaHandler {
  return async (request) => {
    const start = parts.clock.monotonic();
    const known = parts.configuration().siteKeys.has(pathKey) || testSiteKey(pathKey) !== undefined;
    const record: VerificationRecord = {
      request_id: undefined,
      site_key: known ? pathKey : "unknown",
      customer: undefined,
      success: false,
      ip: "absent",
    };
    const outcome = await new Verification(parts, pathKey, record, metrics).run(request).catch(storageFault);
    const fault = "error" in outcome ? outcome : undefined;
    metrics.done(fault, record.customer !== undefined, parts.clock.monotonic() - start);
    // A request without a known key is counted, and fills no log.
    if (record.customer !== undefined) {
      record.success = fault === undefined;
      if (fault?.error !== undefined) record.error = fault.error;
      if (fault?.reason !== undefined) record.reason = fault.reason;
      parts.audit.verification(record);
    }
    return "error" in outcome ? rejected(outcome) : accepted(outcome);
  };
}

class Verification {
  readonly #parts: VerifyParts;
  readonly #pathKey: string;
  readonly #record: VerificationRecord;
  readonly #metrics: VerifyMetrics;

  constructor(parts: VerifyParts, pathKey: string, record: VerificationRecord, metrics: VerifyMetrics) {
    this.#parts = parts;
    this.#pathKey = pathKey;
    this.#record = record;
    this.#metrics = metrics;
  }

  /** Steps 1 to 3. @throws StorageError */
  async run(request: CaptchaRequest): Promise<Success | Rejection> {
    const refused = notForBackends(request, ["GET", "POST"]);
    if (refused !== undefined) return refused;
    const parameters = verifyParameters(request);
    if (parameters === "api_key_misplaced")
      return { status: 401, error: "invalid_api_key", reason: parameters };
    const jwt = typeof parameters === "string" ? undefined : parameters.jwt;
    const long = tooLong(jwt, request.method);
    if (long !== undefined) return long;
    const caller = callerOf(this.#parts, request);
    if ("error" in caller) return caller;
    this.#record.customer = caller.customer;
    this.#metrics.keyUsed(caller.keyId, this.#parts.clock.now());
    if (typeof parameters === "string") return missing(parameters);
    if (jwt === undefined) return missing("missing_jwt");
    const address = parameters.ip === undefined ? undefined : parseAddress(parameters.ip);
    if (parameters.ip !== undefined && address === undefined) return missing("invalid_ip");
    const checked = await checkToken(this.#parts, this.#pathKey, jwt, caller);
    if ("error" in checked) return checked;
    return await this.#use(checked, address, parameters);
  }

  /** Steps 11 to 13. */
  async #use(
    checked: Checked,
    address: ClientAddress | undefined,
    { idempotencyKey, details }: Parameters,
  ): Promise<Success | Rejection> {
    const { claims, siteKey } = checked;
    this.#record.request_id = claims.requestId;
    const use = checkUse(this.#parts, checked, address);
    this.#record.ip = use.ip;
    if (use.fault !== undefined) await countFailure(this.#parts, claims);
    const lost =
      use.fault !== undefined
        ? { fault: use.fault, again: false }
        : await claimToken(this.#parts, claims, idempotencyKey, address);
    if (lost === undefined) {
      if (!checked.isCurrent()) throw new StorageError("the store lost its claims meanwhile");
      return await this.#success(checked, details);
    }
    // The visitor's network is only known if the backend sends it (reference 3.3 H). A double click is not counted.
    if (address !== undefined && !lost.again) this.#parts.rates.add("token_rejected", address, siteKey.id);
    return lost.fault;
  }

  async #success({ claims, payload, siteKey }: Checked, details: boolean): Promise<Success> {
    const { hostname, action } = payload;
    const score = siteKey.exposeScore ? await this.#score(claims.requestId) : undefined;
    return {
      request_id: claims.requestId,
      site_key: claims.siteKey,
      challenge_ts: new Date(claims.iat * 1_000).toISOString(),
      ...(typeof hostname === "string" ? { hostname } : {}),
      ...(typeof action === "string" ? { action } : {}),
      ...(score === undefined ? {} : { score }),
      ...(details ? { details: this.#details(payload["won"], claims.requestId) } : {}),
    };
  }

  #details(sealed: unknown, requestId: string): Details | null {
    const won = openWinning(sealed, requestId, this.#parts.configuration().secrets["key-ring"]);
    if (won === undefined) return null;
    const { how, level, reasons, attack } = won;
    return { how, level, reasons, under_attack: attack > 0 };
  }

  /** The token is already used up, so a failure of the store only costs the score. */
  async #score(requestId: string): Promise<number | undefined> {
    const score = await this.#parts.states.get(`score/${requestId}`).catch(() => undefined);
    return typeof score === "number" ? score : undefined;
  }
}

/** Site key as received: the checks report an unknown one, not the path (A5). */
export function siteKeyOfPath(path: string, name: "verify" | "feedback"): string | undefined {
  const [, pathKey, called] = /^\/([^/]{1,128})\/(verify|feedback)$/.exec(path) ?? [];
  if (pathKey === undefined || called !== name) return undefined;
  return isReservedPath(pathKey) || /^\.+$/.test(pathKey) ? undefined : pathKey;
}

/** Step 1 of reference 5.4: rejects other methods, browsers, and prefetches. */
export function notForBackends(
  { method, headers }: CaptchaRequest,
  methods: readonly string[],
): Rejection | undefined {
  if (!methods.includes(method))
    return { status: 405, error: "missing_required_params", reason: "method_not_allowed" };
  // Not Sec-Fetch-Mode: Node's own fetch sends it (A20).
  const ahead = `${headers.get("sec-purpose") ?? ""} ${headers.get("purpose") ?? ""} ${headers.get("x-moz") ?? ""}`;
  if (headers.has("origin") || headers.has("sec-fetch-site") || /prefetch|prerender/i.test(ahead))
    return { status: 403, error: "missing_required_params", reason: "browser_request" };
  return undefined;
}

export function tooLong(jwt: string | undefined, method: string): Rejection | undefined {
  if (jwt === undefined || jwt.length <= MAX_TOKEN_CHARACTERS) return undefined;
  return { status: method === "GET" ? 414 : 413, error: "invalid_jwt", reason: "token_too_long" };
}

export const missing = (reason: Rejection["reason"]): Rejection => ({
  status: 400,
  error: "missing_required_params",
  ...(reason === undefined ? {} : { reason }),
});
