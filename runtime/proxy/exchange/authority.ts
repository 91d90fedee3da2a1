/** The authority that a client named, as the parts of the gateway need it. */
export interface Authority {
  /** As received, without a dot behind the name and without the colon of an empty port: what X-Forwarded-Host says. */
  readonly named: string;
  /** What routes are matched on: lower case, without port; brackets of IPv6 stay. */
  readonly host: string;
  /** Port as written; "" for none, or an empty one. */
  readonly port: string;
  /** What is sent for `pass_host: pass`: the host that was matched, and the port. */
  readonly sent: string;
}

let lastText = "";
let last: Authority = { named: "", host: "", port: "", sent: "" };

/**
 * Reads a Host value. "a.test." and "a.test" are one name (RFC 3986 section 3.2.2), so one dot behind it goes; "a.test:" is
 * "a.test" (section 6.2.3). The last one is remembered: most connections name one host over and over.
 */
export function authorityOf(text: string): Authority {
  if (text === lastText) return last;
  const colon = text.lastIndexOf(":");
  const ported = colon > 0 && colon > text.lastIndexOf("]");
  const name = ported ? text.slice(0, colon) : text;
  const port = ported ? text.slice(colon + 1) : "";
  const bare = name.length > 1 && name.endsWith(".") ? name.slice(0, -1) : name;
  const host = bare.toLowerCase();
  const behind = port === "" ? "" : `:${port}`;
  lastText = text;
  last = { named: bare + behind, host, port, sent: host + behind };
  return last;
}
