export interface Authority {
  /** Value of X-Forwarded-Host: as received, without a trailing dot and without the colon of an empty port. */
  readonly named: string;
  /** Host for matching routes: lower case, without port; IPv6 keeps its brackets. */
  readonly host: string;
  /** Port as received; "" if there is none. */
  readonly port: string;
  /** Host header for `pass_host: pass`: `host` and port. */
  readonly sent: string;
}

let lastText = "";
let last: Authority = { named: "", host: "", port: "", sent: "" };

/**
 * Parses a Host value. "a.test." and "a.test" are one name (RFC 3986 section 3.2.2), so one trailing dot is
 * removed; "a.test:" is "a.test" (section 6.2.3). A cache of one: most connections repeat one host.
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
