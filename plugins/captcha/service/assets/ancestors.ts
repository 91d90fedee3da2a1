import { isIP } from "node:net";
import type { CaptchaSiteKey } from "../../captcha-table.js";

/**
 * Sources for `frame-ancestors` from the hosts of a key, including subdomains: every port, since a key's
 * hosts have none, and both schemes for pages in development. Browsers check every page around the frame, so
 * the hosts that may embed a form are included. The frames check that the page around the widget is one of
 * `hostnames`.
 * @returns ["*"] for a test key, which every page may use, and for a key with an IPv6 host. CSP cannot name
 *   such a host (CSP3 section 2.3.1), so only the frame itself and the service check the page
 */
export function ancestorsOf({
  hostnames,
  embedHosts,
}: Pick<CaptchaSiteKey, "hostnames" | "embedHosts">): string[] {
  if (hostnames.length === 0 || hostnames.some((host) => host.includes(":"))) return ["*"];
  return [...hostnames, ...embedHosts].flatMap((host) => {
    const own = [`http://${host}:*`, `https://${host}:*`];
    return isIP(host) !== 0 ? own : [...own, `http://*.${host}:*`, `https://*.${host}:*`];
  });
}

/** Page around the frame, by the Referer that the loader sets to its origin. */
export function pageOf(referer: string | undefined): { origin: string; hostname: string } | undefined {
  const match = /^(https?:\/\/((?:[A-Za-z0-9.-]{1,255})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:\/|$)/.exec(
    referer ?? "",
  );
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { origin: match[1], hostname: match[2].toLowerCase() };
}

/** The requesting page, so that its developer sees the error (A51). */
export function ancestorsOfFault(page: { origin: string } | undefined): string[] {
  // CSP cannot name IPv6 hosts; such a frame has nothing worth a click.
  return page === undefined || page.origin.includes("[") ? ["*"] : [page.origin];
}
