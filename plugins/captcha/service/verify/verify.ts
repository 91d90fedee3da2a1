import { isReservedPath } from "../../captcha-table.js";
import {
  type CaptchaParts,
  type CaptchaRequest,
  type ClientAddress,
  type Endpoint,
  StorageError,
  type VerificationRecord,
} from "../contract.js";
import { parseAddress } from "../http/address.js";
import { MAX_TOKEN_CHARACTERS } from "../token/tokens.js";
import { openWinning, type Winning } from "../token/winning.js";
import {
  accepted,
  type Details,
  type Rejection,
  rejected,
  type Success,
  storageFault,
  type VerifyReason,
} from "./answer.js";
import { type Caller, callerOf } from "./authentication.js";
import { type Parameters, verifyParameters } from "./parameters.js";
import { claimToken, countFailure } from "./single-use.js";
import { testSiteKey } from "./test-keys.js";
import { type Checked, checkToken, checkUse } from "./token-checks.js";

/** Seconds; a verification is a signature check and one write. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const TIME = "Time of verifications.";
const SKEW = "Verified tokens from the future: clocks of nodes differ by more than 5 s.";
const REFUSED = "Verification requests from unknown callers.";
const LAST_USED = "When an API key was last used, epoch seconds.";

export type VerifyParts = Pick<
  CaptchaParts,
  "clock" | "configuration" | "claims" | "states" | "tokens" | "rates" | "audit" | "metrics" | "report"
>;

/** `GET /<site_key>/verify` and its POST alias (reference 5.4). Steps 1 to 11 never use a token up. */
export function verifyEndpoint(parts: VerifyParts): Endpoint {
  const { metrics, clock } = parts;
  const seconds = metrics.histogram("gw_captcha_verify_seconds", TIME, {}, BUCKETS);
  const skew = metrics.counter("gw_captcha_clock_skew_total", SKEW, {});
  const answer = async (pathKey: string, request: CaptchaRequest) => {
    const start = clock.monotonic();
    const known = parts.configuration().siteKeys.has(pathKey) || testSiteKey(pathKey) !== undefined;
    const record: VerificationRecord = {
      request_id: undefined,
      site_key: known ? pathKey : "unknown",
      customer: undefined,
      success: false,
      ip: "absent",
    };
    const outcome = await verify(parts, pathKey, request, record).catch(storageFault);
    const fault = "error" in outcome ? outcome : undefined;
    seconds.observe((clock.monotonic() - start) / 1_000);
    if (fault?.reason === "not_yet_valid") skew.add(1);
    if (record.customer === undefined) {
      // A request without a known key is counted, and fills no log. Labels are closed lists.
      const reason = fault?.reason ?? fault?.error ?? "other";
      metrics.counter("gw_captcha_verify_refused_total", REFUSED, { reason }).add(1);
    } else {
      record.success = fault === undefined;
      if (fault?.error !== undefined) record.error = fault.error;
      if (fault?.reason !== undefined) record.reason = fault.reason;
      parts.audit.verification(record);
    }
    return "error" in outcome ? rejected(outcome) : accepted(outcome);
  };
  return (path) => {
    const pathKey = siteKeyOfPath(path, "verify");
    return pathKey === undefined ? null : (request) => answer(pathKey, request);
  };
}

/** @throws StorageError */
async function verify(
  parts: VerifyParts,
  pathKey: string,
  request: CaptchaRequest,
  record: VerificationRecord,
): Promise<Success | Rejection> {
  const admitted = admit(parts, request, ["GET", "POST"], verifyParameters, ({ customer, keyId: key }) => {
    record.customer = customer;
    const name = "gw_captcha_api_key_last_used_timestamp_seconds";
    parts.metrics.gauge(name, LAST_USED, { key }).set(Math.floor(parts.clock.now() / 1_000));
  });
  if ("error" in admitted) return admitted;
  const { caller, jwt, ip, ...parameters } = admitted;
  const address = ip === undefined ? undefined : parseAddress(ip);
  if (ip !== undefined && address === undefined) return missing("invalid_ip");
  const checked = await checkToken(parts, pathKey, jwt, caller);
  if ("error" in checked) return checked;
  record.request_id = checked.claims.requestId;
  const { ip: compared, fault } = checkUse(parts, checked, address);
  record.ip = compared;
  return await use(parts, checked, address, fault, parameters);
}

/** Steps 11 to 13. @param fault of step 11 */
async function use(
  parts: VerifyParts,
  checked: Checked,
  address: ClientAddress | undefined,
  fault: Rejection | undefined,
  { idempotencyKey, details }: Pick<Parameters, "idempotencyKey" | "details">,
): Promise<Success | Rejection> {
  const { claims, siteKey } = checked;
  if (fault !== undefined) await countFailure(parts, claims);
  const lost =
    fault !== undefined ? { fault, again: false } : await claimToken(parts, claims, idempotencyKey, address);
  if (lost === undefined) {
    if (!checked.isCurrent()) throw new StorageError("the store lost its claims meanwhile");
    return await successOf(parts, checked, details);
  }
  // The visitor's network is only known if the backend sends it (reference 3.3 H). A double click is not counted.
  if (address !== undefined && !lost.again) parts.rates.add("token_rejected", address, siteKey.id);
  return lost.fault;
}

async function successOf(
  { states, configuration }: VerifyParts,
  { claims, payload, siteKey }: Checked,
  withDetails: boolean,
): Promise<Success> {
  const { hostname, action, won } = payload;
  // The token is already used up, so a failure of the store only costs the score.
  const score = siteKey.exposeScore && (await states.get(`score/${claims.requestId}`).catch(() => undefined));
  const winning = withDetails && openWinning(won, claims.requestId, configuration().secrets["key-ring"]);
  return {
    request_id: claims.requestId,
    site_key: claims.siteKey,
    challenge_ts: new Date(claims.iat * 1_000).toISOString(),
    ...(typeof hostname === "string" ? { hostname } : {}),
    ...(typeof action === "string" ? { action } : {}),
    ...(typeof score === "number" ? { score } : {}),
    ...(winning === false ? {} : { details: detailsOf(winning) }),
  };
}

function detailsOf(won: Winning | undefined): Details | null {
  if (won === undefined) return null;
  const { how, level, reasons, attack } = won;
  return { how, level, reasons, under_attack: attack > 0 };
}

/**
 * Steps 1 to 3 of reference 5.4, which all calls of backends share.
 * @param known called with a caller whose key is right, whatever its parameters
 */
export function admit<Read extends { jwt: string | undefined }>(
  parts: Pick<CaptchaParts, "configuration" | "clock" | "rates" | "report">,
  request: CaptchaRequest,
  methods: readonly string[],
  read: (request: CaptchaRequest) => Read | VerifyReason,
  known: (caller: Caller) => void = () => {},
): (Read & { jwt: string; caller: Caller }) | Rejection {
  const refused = notForBackends(request, methods);
  if (refused !== undefined) return refused;
  const parameters = read(request);
  if (parameters === "api_key_misplaced")
    return { status: 401, error: "invalid_api_key", reason: parameters };
  const jwt = typeof parameters === "string" ? undefined : parameters.jwt;
  if (jwt !== undefined && jwt.length > MAX_TOKEN_CHARACTERS)
    return { status: request.method === "GET" ? 414 : 413, error: "invalid_jwt", reason: "token_too_long" };
  const caller = callerOf(parts, request);
  if ("error" in caller) return caller;
  known(caller);
  if (typeof parameters === "string") return missing(parameters);
  return jwt === undefined ? missing("missing_jwt") : { ...parameters, jwt, caller };
}

/** Site key as received: the checks report an unknown one, not the path (A5). */
export function siteKeyOfPath(path: string, name: "verify" | "feedback"): string | undefined {
  const [, pathKey, called] = /^\/([^/]{1,128})\/(verify|feedback)$/.exec(path) ?? [];
  if (pathKey === undefined || called !== name) return undefined;
  return isReservedPath(pathKey) || /^\.+$/.test(pathKey) ? undefined : pathKey;
}

/** Rejects other methods, browsers, and prefetches. */
function notForBackends(
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

const missing = (reason: VerifyReason): Rejection => ({
  status: 400,
  error: "missing_required_params",
  reason,
});
