import type { Exchange } from "../../../runtime/abi/exchange.js";
import type { PluginRuntime } from "../../../runtime/abi/plugin-runtime.js";
import { escapedPathText, escapedQueryText, rawText } from "../../../runtime/abi/text/target.js";
import { errorPage } from "../../../runtime/proxy/host/local-reply.js";

/** Answers with a redirection. What cannot stand in a field is escaped by the list of fields. */
export function redirect(x: Exchange, status: number, location: string): void {
  x.respond(status, errorPage(status), "text/html");
  x.response.headers.set("Location", location);
}

/**
 * Sends a request that came without TLS to the same URL with it; false for one that came with it. How it came to a trusted proxy
 * counts: of others the field has been taken out. 308, where 301 would make a POST a GET (RFC 9110 section 15.4.2).
 */
export function toHttps(x: Exchange, port: number): boolean {
  const came = x.request.headers.get("x-forwarded-proto")?.split(",", 1)[0]?.trim() ?? x.scheme;
  if (came.toLowerCase() !== "http") return false;
  const status = x.method === "GET" || x.method === "HEAD" ? 301 : 308;
  const target = x.requestUri.startsWith("/") ? rawText(x.requestUri) : "/";
  redirect(x, status, `https://${hostOf(x)}${port === 443 ? "" : `:${port}`}${target}`);
  return true;
}

/** The host that was asked; where none was named (HTTP/1.0), the address that was. */
export function hostOf(x: Exchange): string {
  if (x.host !== "") return authorityText(x.host);
  return x.serverAddr.includes(":") ? `[${x.serverAddr}]` : x.serverAddr;
}

/** A value inside an authority: nothing that would end it, and no user before the host. */
export function authorityText(value: string | number | undefined): string {
  if (value === undefined) return "";
  return String(value).replace(
    /[^A-Za-z0-9\-._~:[\]]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** A part of a path right behind a host: it does not go on with the name. */
export function rootedText(value: string | number | undefined): string {
  const path = escapedPathText(value);
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/** A path of this host: two slashes at the beginning of a reference would name another (RFC 3986 section 4.2). */
export function onThisHost(target: string): string {
  return target.replace(/^\/*/, "/");
}

/** The path with `replacement` (encoded already) in place of what `found` matched. */
export function replacedInPath(found: RegExpExecArray, replacement: string): string {
  return escapedPathText(found.input.slice(0, found.index)) + replacedToEnd(found, replacement);
}

/** The same without what stands before the match: `replacement` names a host, which nothing stands before. */
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
