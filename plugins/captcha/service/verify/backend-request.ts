import { isReservedPath } from "../../captcha-table.js";
import type { CaptchaRequest } from "../contract.js";
import { MAX_TOKEN_CHARACTERS } from "../token/tokens.js";
import type { Rejection } from "./answer.js";

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
