import type { CaptchaSiteKey } from "../../captcha-table.js";
import { isWithin } from "../../widget/shared/configuration.js";
import type { CaptchaParts, ClientAddress, OpenedToken, VerificationRecord } from "../contract.js";
import { MAX_TTL_S } from "../token/key-ring.js";
import type { Rejection } from "./answer.js";
import type { Caller } from "./authentication.js";
import { compareBinding } from "./binding.js";
import { TEST_FAIL, testSiteKey } from "./test-keys.js";

/** Token that is ours, valid now, and for this path and caller. */
export interface Checked extends OpenedToken {
  claims: ReadClaims;
  siteKey: CaptchaSiteKey;
}

type Parts = Pick<CaptchaParts, "clock" | "configuration" | "tokens">;

/**
 * Steps 4 to 10 of reference 5.4.
 * @param afterS seconds after its expiry in which a token is still accepted
 * @throws StorageError if the signing keys are not known
 */
export async function checkToken(
  parts: Parts,
  pathKey: string,
  jwt: string,
  caller: Caller,
  afterS = 0,
): Promise<Checked | Rejection> {
  const opened = await parts.tokens.open(jwt);
  if ("reason" in opened) return { status: 200, error: "invalid_jwt", reason: opened.reason };
  const { payload } = opened;
  const claims = readClaims(payload, parts.clock.now(), afterS);
  if ("error" in claims) return claims;
  if (claims.siteKey !== pathKey) return { status: 200, error: "path_mismatch" };
  if ((payload.test === true) !== caller.test)
    return { status: 200, error: "invalid_jwt", reason: "test_token" };
  const siteKey = caller.test ? testSiteKey(pathKey) : parts.configuration().siteKeys.get(pathKey);
  if (siteKey?.customer !== caller.customer)
    return { status: 403, error: "forbidden_site_key", reason: "not_owner" };
  if (!siteKey.enabled) return { status: 403, error: "forbidden_site_key", reason: "site_key_disabled" };
  if (siteKey.id === TEST_FAIL) return { status: 200, error: "invalid_jwt", reason: "test_token" };
  return { ...opened, claims, siteKey };
}

/** Step 11. @param address the parameter `ip` */
export function checkUse(
  { configuration }: Parts,
  { payload, siteKey }: Checked,
  address: ClientAddress | undefined,
): { ip: VerificationRecord["ip"]; fault?: Rejection } {
  const secret = configuration().secrets["ip-binding"];
  const ip =
    address === undefined ? "absent" : compareBinding(payload.ipb, address, siteKey.ipBinding, secret);
  if (payload.test !== true && !isAllowedHostname(payload.hostname, siteKey.hostnames))
    return { ip, fault: { status: 200, error: "invalid_jwt", reason: "hostname_mismatch" } };
  if (ip === "mismatch") return { ip, fault: { status: 200, error: "invalid_jwt", reason: "ip_mismatch" } };
  return { ip };
}

/** Tolerance for another node's clock (A14, A26). */
const CLOCK_SKEW_S = 5;

/** Times in epoch seconds. */
export interface ReadClaims {
  requestId: string;
  siteKey: string;
  iat: number;
  exp: number;
}

/**
 * Steps 6 to 8 of reference 5.4, in this order.
 * @param nowMs epoch ms
 * @param afterS seconds after its expiry in which a token is still accepted
 */
function readClaims(payload: Record<string, unknown>, nowMs: number, afterS = 0): ReadClaims | Rejection {
  const { iat, exp, request_id: requestId, site_key: siteKey } = payload;
  const now = nowMs / 1_000;
  if (!isTime(iat) || !isTime(exp) || exp <= iat || exp - iat > MAX_TTL_S)
    return { status: 200, error: "invalid_jwt", reason: "bad_times" };
  if (iat > now + CLOCK_SKEW_S) return timeFault("not_yet_valid");
  if (now >= exp + afterS) return timeFault("expired");
  if (!isName(requestId)) return { status: 200, error: "invalid_jwt_request_id" };
  if (!isName(siteKey)) return { status: 200, error: "invalid_jwt_site_key" };
  return { requestId, siteKey, iat, exp };
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isName = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const timeFault = (reason: "expired" | "not_yet_valid"): Rejection => ({
  status: 200,
  error: "invalid_jwt",
  reason,
  validation_check: reason,
});

export const isAllowedHostname = (hostname: unknown, hostnames: readonly string[]): boolean =>
  typeof hostname === "string" && isWithin(hostname, hostnames);
