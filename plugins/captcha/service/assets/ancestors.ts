import { isIP } from "node:net";
import type { CaptchaSiteKey } from "../../captcha-table.js";

/**
 * Sources for `frame-ancestors` from the hosts of a key: every port, since a key's hosts have none, and both schemes, since
 * developers' pages are http. A listed host stands for its subdomains. Browsers hold every page around the frame against them, so the
 * hosts that may embed a form stand here too; that the page right around the widget is one of `hostnames` is looked at by its frames.
 * @returns ["*"] for a test key, which lists no host because every page may use it, and for a key with an IPv6 host, which CSP
 * cannot name (CSP3 section 2.3.1): then only the frame itself and the service look at the page
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

/** Origin and host of the page that holds the frame, from Referer (the loader asks for its origin); undefined when it is not told. */
export function pageOf(referer: string | undefined): { origin: string; hostname: string } | undefined {
  const match = /^(https?:\/\/((?:[A-Za-z0-9.-]{1,255})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:\/|$)/.exec(
    referer ?? "",
  );
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { origin: match[1], hostname: match[2].toLowerCase() };
}

/** Sources for a frame that only tells why it does nothing: the page that asked, so that it can learn its mistake (A51). */
export function ancestorsOfFault(page: { origin: string } | undefined): string[] {
  // CSP cannot name IPv6 hosts. Nothing in such a frame is worth a click, so any page may hold it.
  return page === undefined || page.origin.includes("[") ? ["*"] : [page.origin];
}
