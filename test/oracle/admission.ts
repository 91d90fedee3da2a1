import { isAmong } from "./address.js";
import type { Fields, Request } from "./message.js";
import { valuesOf, without } from "./message.js";

/** The settings of the gateway that say what is believed of a request, as a configuration writes them. */
export interface GatewayRules {
  trusted_addresses?: readonly string[];
  real_ip_header?: string;
  underscores_in_headers?: "drop" | "keep" | "refuse";
  allow_trace?: boolean;
  path?: { escaped_slashes?: "keep" | "refuse" | "decode"; merge_slashes?: boolean };
}

/** Fields in which proxies tell where a request came from. */
export const FORWARDING = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
];

/** Fields that only a gateway says. */
export const SAID_BY_GATEWAYS = [
  "x-captcha-result",
  "x-captcha-request-id",
  "x-consumer-username",
  "x-consumer-custom-id",
  "x-consumer-groups",
  "x-credential-identifier",
];

const FRAMING = ["content-length", "content-type", "transfer-encoding", "keep-alive", "proxy-connection"];

/** One name for all spellings that CGI cannot tell apart. */
const cgiName = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]/g, "_");

/** Whether CGI cannot tell the names apart, and HTTP can. */
export const isTwin = (a: string, b: string): boolean =>
  cgiName(a) === cgiName(b) && a.toLowerCase() !== b.toLowerCase();

/** The request without what its sender may not say, and with the address of the client; undefined where it is refused. */
export function admitted(request: Request, rules: GatewayRules): Request | undefined {
  const { trusted_addresses: trusted = [], underscores_in_headers: underscores } = rules;
  const isTrusted = isAmong(request.clientAddress, trusted);
  const underlined = ([name]: [string, string]) => name.includes("_");
  if (underscores === "refuse" && request.headers.some(underlined)) return undefined;
  let headers: Fields = request.headers;
  if (underscores === "drop") headers = headers.filter((field) => !underlined(field));
  for (const name of [...SAID_BY_GATEWAYS, "proxy"]) headers = without(headers, name);
  if (!isTrusted) for (const name of FORWARDING) headers = without(headers, name);
  for (const name of [...SAID_BY_GATEWAYS, ...FORWARDING, ...FRAMING])
    headers = headers.filter(([other]) => !isTwin(other, name));
  const named = isTrusted ? namedClient({ ...request, headers }, rules) : undefined;
  return {
    ...request,
    headers,
    peerAddress: request.clientAddress,
    clientAddress: named ?? request.clientAddress,
  };
}

/** The first from the right that is not trusted; the leftmost where all are; undefined where nothing is named. */
function namedClient({ headers }: Request, rules: GatewayRules): string | undefined {
  const { trusted_addresses: trusted = [], real_ip_header: field = "X-Forwarded-For" } = rules;
  const hops = valuesOf(headers, field)
    .flatMap((value) => value.split(","))
    .map((hop) => (field === "Forwarded" ? nodeOf(hop) : hop.trim()))
    .filter((hop) => hop !== "");
  let client: string | undefined;
  for (const hop of hops.reverse()) {
    const address = plain(withoutPort(hop));
    if (address === undefined) return client;
    client = address;
    if (!isAmong(address, trusted)) break;
  }
  return client;
}

/** Cases write no commas and no semicolons into quotes. */
const nodeOf = (hop: string): string =>
  /(?:^|;)\s*for="?\[?([0-9a-f.:]+?)(?:\](?::\d+)?|(?<=\d\.\d+):\d+)?"?\s*(?:;|$)/i.exec(hop)?.[1] ?? "-";

/** "203.0.113.7:80", "[2001:db8::7]:80" and "[2001:db8::7]" are read like the address alone. */
const withoutPort = (hop: string): string =>
  /^([\d.]+):\d{1,5}$/.exec(hop)?.[1] ?? /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop;

/** An address as URLs spell it, mapped IPv6 as IPv4. */
function plain(text: string): string | undefined {
  if (/^\d+(?:\.\d+){3}$/.test(text)) return text;
  const spelled = URL.canParse(`http://[${text}]/`) ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : "";
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(spelled) ?? [];
  if (high === undefined || low === undefined) return spelled || undefined;
  return [high, low]
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join(".");
}
