import { isIP } from "node:net";
import type { CaptchaConfiguration, CaptchaSettings } from "./contract.js";

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
  return [
    ...(protocol === "http:" && !isLocal
      ? [
          `captcha.url (${url}) is not https: tokens can be read on the way, and pages served by https do not show the widget`,
        ]
      : []),
    ...(isLocal ? [`captcha.url (${url}) is an address that only browsers of this machine reach`] : []),
    ...(shared !== undefined && !isLocal
      ? [
          `captcha.url (${url}) is the host of pages with the widget (site key ${shared.id}): their scripts can reach into its frames; give the service a host of its own`,
        ]
      : []),
    ...(testing
      ? ["captcha.testing is enabled: everybody can use the test keys, with each other alone"]
      : []),
  ];
}
