import { MAX_TTL_S } from "../token/key-ring.js";
import type { Rejection } from "./answer.js";

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
export function readClaims(
  payload: Record<string, unknown>,
  nowMs: number,
  afterS = 0,
): ReadClaims | Rejection {
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

/** A listed host includes its subdomains; brackets of IPv6 and a trailing dot do not matter. */
export function isAllowedHostname(hostname: unknown, hostnames: readonly string[]): boolean {
  if (typeof hostname !== "string") return false;
  const name = plainHost(hostname);
  return hostnames.some((host) => name === plainHost(host) || name.endsWith(`.${plainHost(host)}`));
}

const plainHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
