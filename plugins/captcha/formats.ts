import { isIP, isIPv4, isIPv6 } from "node:net";
import { environmentReferences, type TextFormats } from "../../compiler/plugin-api.js";
import { isReservedPath, TEST_SITE_KEY } from "./captcha-table.js";

/** `spk_<8 id>_<43 base64url>_<6 hex checksum>` (captcha reference 5.6). */
const API_KEY = /^spk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{6}$/;
const NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

export const FORMATS: TextFormats = {
  "site-key": { code: "GW2123", errorText: "reserved site key: {value}", fault: siteKeyFault },
  "page-host": { code: "GW2124", errorText: "invalid host of a page: {value}", fault: pageHostFault },
  "embedding-host": {
    code: "GW2124",
    errorText: "invalid host of a page: {value}",
    fault: embeddingHostFault,
  },
  moment: { code: "GW2125", errorText: "invalid point in time: {value}", fault: momentFault },
  "captcha-api-key": { code: "GW2126", errorText: "invalid API key", fault: apiKeyFault },
};

/** Rules H10 and H30; the schema checks the alphabet. */
function siteKeyFault(text: string): string | undefined {
  if (TEST_SITE_KEY.test(text)) return "keys that begin with sp-test- are reserved for integration tests";
  return isReservedPath(text) ? "it is a path of the service itself" : undefined;
}

/** Names and addresses are as in `location.hostname`, IPv6 also without brackets. */
function pageHostFault(text: string): string | undefined {
  if (text.includes("://") || text.includes("/")) return "it must be only a host, such as example.com";
  if (text.includes("*")) return "wildcards are not needed: example.com includes its subdomains";
  if (isIPv6(text.replace(/^\[(.*)\]$/, "$1")) && !text.includes("%")) return undefined;
  if (text.includes(":")) return "it must not have a port: every port is allowed";
  if (/[^\x00-\x7f]/.test(text)) return "international names must be in their ASCII form (xn--…)";
  if (/^[\d.]+$/.test(text) && !isIPv4(text)) return "it is not an IPv4 address";
  return isIP(text) !== 0 || NAME.test(text.replace(/\.$/, "")) ? undefined : "it is not a host name";
}

/** Policies of frames cannot name IPv6 hosts (CSP3 section 2.3.1), and one such host must not admit all others. */
function embeddingHostFault(text: string): string | undefined {
  return isIPv6(text.replace(/^\[(.*)\]$/, "$1"))
    ? "browsers do not support IPv6 addresses of framing pages: use a host name"
    : pageHostFault(text);
}

function momentFault(text: string): string | undefined {
  const [, year, month, day] = MOMENT.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined)
    return "the format is 2027-03-31T00:00:00Z or 2027-03-31T03:00:00+03:00";
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? undefined : "there is no such day";
}

/** The value of an environment variable is not known here. Never contains the text. */
function apiKeyFault(text: string): string | undefined {
  if (environmentReferences(text).length > 0 || API_KEY.test(text)) return undefined;
  return "the form is spk_<id>_<secret>_<checksum>";
}
