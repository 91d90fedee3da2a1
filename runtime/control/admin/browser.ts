import type { IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { type ApiResponse, failure } from "./answer.js";

export interface BrowserPolicy {
  keyRequired: boolean;
  /** `enable_admin_cors`; has no effect if no key is required. */
  cors: boolean;
  listener: string;
}

export const CORS_PREFLIGHT = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "POST, GET, PUT, OPTIONS, DELETE, PATCH",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Allow-Credentials": "true",
  "Access-Control-Max-Age": "3600",
};

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Credentials": "true",
  "Access-Control-Expose-Headers": "*",
  "Access-Control-Max-Age": "3600",
};

/** Reports whether pages of other origins may call: only if each call needs a key. */
export const mayCrossOrigins = ({ cors, keyRequired }: BrowserPolicy): boolean => cors && keyRequired;

export function corsFields(policy: BrowserPolicy): Readonly<Record<string, string>> {
  return mayCrossOrigins(policy) ? CORS : {};
}

/** Methods with a body that changes something. A page may send POST anywhere, with the types of forms. */
const WITH_BODY = ["POST", "PUT", "PATCH"];
/** Media types that need a CORS preflight if a page sends them to another origin. */
const TYPES = ["application/json", "application/yaml"];

/** Reports whether a page of another origin calls, by Fetch Metadata and Origin; programs send neither. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site = "same-origin" } = headers;
  if (site !== "same-origin" && site !== "none") return true;
  // Ignores the scheme: a proxy in front of the listener may terminate TLS.
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== host;
}

/**
 * Returns the reply that rejects a cross-site request to a listener without keys. Any page in a browser of
 * this machine can send one, through a host name that it points here (DNS rebinding) or a form.
 * @param isPage true for a page of the web interface, which links of other pages may open
 */
export function rejectCrossSite(
  request: IncomingMessage,
  policy: BrowserPolicy,
  isPage: boolean,
): ApiResponse | undefined {
  if (policy.keyRequired) return undefined;
  const { host = "", "content-type": type = "" } = request.headers;
  if (!isOwnName(nameOfHost(host), request.socket.localAddress ?? "", policy.listener)) {
    const asked = JSON.stringify(host.slice(0, 256));
    const message = `without an admin key, Host must be an address or name of the admin listener, not ${asked}`;
    return failure(403, message);
  }
  // Streams take slots and responses cost CPU, even if the foreign page cannot read them.
  if (!isPage && isForeign(request))
    return failure(
      403,
      "without an admin key, only programs and pages of this origin may call the admin API",
    );
  if (!WITH_BODY.includes(request.method ?? "")) return undefined;
  const [essence = ""] = type.split(";");
  if (TYPES.includes(essence.trim().toLowerCase())) return undefined;
  const message = `without an admin key, writes need "Content-Type: application/json", ${type === "" ? "and it is absent" : `not ${JSON.stringify(type.slice(0, 256))}`}`;
  return failure(415, message);
}

/** Returns the host without port and brackets, in lower case. */
export function nameOfHost(host: string): string {
  const [, name = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host) ?? [];
  return name
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

/** Reports whether a name leads to this machine from any browser on it, also through forwarded ports. */
export const isLoopbackName = (name: string): boolean =>
  name === "localhost" || name === "::1" || /^127\.\d+\.\d+\.\d+$/.test(name);

function isOwnName(name: string, local: string, listener: string): boolean {
  if (isLoopbackName(name)) return true;
  const own = [local.replace(/^::ffff:(?=\d+\.)/i, ""), listener.replace(/^\[(.*)\]$/, "$1"), hostname()];
  return name !== "" && own.some((one) => one.toLowerCase() === name);
}
