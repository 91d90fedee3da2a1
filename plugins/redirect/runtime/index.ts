import {
  type Exchange,
  errorPage,
  escapedPathText,
  escapedQueryText,
  type PluginRuntime,
  percentEncode,
  rawText,
} from "../../../runtime/abi/plugin-api.js";

/** The header list escapes characters that are invalid in a header. */
export function redirect(x: Exchange, status: number, location: string): void {
  x.respond(status, errorPage(status), "text/html");
  x.response.headers.set("Location", location);
}

/**
 * The scheme at a trusted proxy counts; the header of other peers was removed. Uses 308, since 301 would turn
 * a POST into a GET (RFC 9110 section 15.4.2).
 * @returns false for a request with TLS
 */
export function toHttps(x: Exchange, port: number): boolean {
  const came = x.request.headers.get("x-forwarded-proto")?.split(",", 1)[0]?.trim() ?? x.scheme;
  if (came.toLowerCase() !== "http") return false;
  const status = x.method === "GET" || x.method === "HEAD" ? 301 : 308;
  const target = x.requestUri.startsWith("/") ? rawText(x.requestUri) : "/";
  redirect(x, status, `https://${hostOf(x)}${port === 443 ? "" : `:${port}`}${target}`);
  return true;
}

/** The local address without a requested host (HTTP/1.0). */
export function hostOf(x: Exchange): string {
  if (x.host !== "") return authorityText(x.host);
  return x.serverAddr.includes(":") ? `[${x.serverAddr}]` : x.serverAddr;
}

/** Removes characters that end an authority or put a user before the host. */
export function authorityText(value: string | number | undefined): string {
  if (value === undefined) return "";
  return String(value).replace(/[^A-Za-z0-9\-._~:[\]]/g, percentEncode);
}

/** Part of a path right behind a host, which cannot continue the name. */
export function rootedText(value: string | number | undefined): string {
  const path = escapedPathText(value);
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/** Two leading slashes would name another host (RFC 3986 section 4.2). */
export function onThisHost(target: string): string {
  return target.replace(/^\/*/, "/");
}

/** @param replacement already encoded */
export function replacedInPath(found: RegExpExecArray, replacement: string): string {
  return escapedPathText(found.input.slice(0, found.index)) + replacedToEnd(found, replacement);
}

/** Drops the text before the match: `replacement` names a host. */
export function replacedToEnd(found: RegExpExecArray, replacement: string): string {
  const after = found.input.slice(found.index + found[0].length);
  return replacement + (replacement.includes("?") ? escapedQueryText(after) : escapedPathText(after));
}

export const runtime: PluginRuntime = {
  exports: {
    redirect,
    toHttps,
    hostOf,
    authorityText,
    rootedText,
    onThisHost,
    replacedInPath,
    replacedToEnd,
  },
};
