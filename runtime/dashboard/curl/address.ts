/** URL of a command after curl's normalization. */
export interface ReadAddress {
  url: string;
  /** User information of the URL, decoded: "user:password". */
  user: string | undefined;
}

/** @param asIs keeps dot segments in the path */
export function readAddress(written: string, query: readonly string[], asIs: boolean): ReadAddress {
  // curl rejects a path alone as a URL; here the host may be in a header.
  const whole = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(written) ? written : `http://${written}`;
  const [, scheme = "", authority = "", path = "", asked = ""] =
    /^(?:([a-z][a-z0-9+.-]*:\/\/)([^/?#]*))?([^?#]*)(\?[^#]*)?/is.exec(whole) ?? [];
  const at = authority.lastIndexOf("@");
  const added = query.filter((part) => part !== "").join("&");
  const search = added === "" ? asked : `${asked === "" ? "?" : asked === "?" ? asked : `${asked}&`}${added}`;
  const straight = asIs ? path : withoutDots(path);
  return {
    url: `${scheme}${authority.slice(at + 1)}${straight === "" ? "/" : encoded(straight)}${search.replaceAll(" ", "%20")}`,
    user: at < 0 ? undefined : decoded(authority.slice(0, at)),
  };
}

/** Removes dot segments (RFC 3986 section 5.2.4). */
function withoutDots(path: string): string {
  if (!/(?:^|\/)\.{1,2}(?:\/|$)/.test(path)) return path;
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    if (segment === "..") kept.pop();
    if (segment !== "." && segment !== "..") kept.push(segment);
    else if (isLast) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** Percent-encodes bytes that no path may contain; curl leaves them in a query. */
const encoded = (path: string): string =>
  path.replace(/[^\x21-\x7e]+/gu, (text) =>
    Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
