import type { IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { type ApiResponse, failure } from "./answer.js";

/** Settings that the answers of the admin API to a browser depend on. */
export interface BrowserPolicy {
  keyRequired: boolean;
  /** `enable_admin_cors`; without a key it has no effect. */
  cors: boolean;
  /** Host of `admin_listen` as configured. */
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

/** Reports whether pages of other origins may call: only where each call has to bring a key. */
export const mayCrossOrigins = ({ cors, keyRequired }: BrowserPolicy): boolean => cors && keyRequired;

/** Fields of an answer for pages of other origins. */
export function corsFields(policy: BrowserPolicy): Readonly<Record<string, string>> {
  return mayCrossOrigins(policy) ? CORS : {};
}

/** Methods whose bodies change something; a page may send POST anywhere, with the types that forms have. */
const WITH_BODY = ["POST", "PUT", "PATCH"];
/** Types that no page can send to another origin without asking first. */
const TYPES = ["application/json", "application/yaml"];

/** Tells whether a page of another address calls, as browsers say (Fetch Metadata, Origin); a program says neither. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site = "same-origin" } = headers;
  if (site !== "same-origin" && site !== "none") return true;
  // A proxy before it may speak TLS.
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== host;
}

/**
 * Why a request is refused that no key protects: any page in a browser of this machine can send one, under a name of its
 * own that it lets point here (DNS rebinding), or as a form does.
 * @param isPage of the web interface, which a link of any other page may open
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
    const message = `without an admin key only requests to an address or name of the admin listener are answered, and Host is ${asked}`;
    return failure(403, message);
  }
  // Streams hold places, and answers cost work, whether the page may read them or not.
  if (!isPage && isForeign(request))
    return failure(403, "without an admin key only the pages of this address may call, and programs");
  if (!WITH_BODY.includes(request.method ?? "")) return undefined;
  const [essence = ""] = type.split(";");
  if (TYPES.includes(essence.trim().toLowerCase())) return undefined;
  const message = `without an admin key writes need "Content-Type: application/json", and ${type === "" ? "there is none" : `it is ${JSON.stringify(type.slice(0, 256))}`}`;
  return failure(415, message);
}

/** Host without port and brackets, in lower case. */
export function nameOfHost(host: string): string {
  const [, name = ""] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host) ?? [];
  return name
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

/** Loopback addresses and `localhost` lead to this machine from any browser on it, through forwarded ports too. */
export const isLoopbackName = (name: string): boolean =>
  name === "localhost" || name === "::1" || /^127\.\d+\.\d+\.\d+$/.test(name);

function isOwnName(name: string, local: string, listener: string): boolean {
  if (isLoopbackName(name)) return true;
  const own = [local.replace(/^::ffff:(?=\d+\.)/i, ""), listener.replace(/^\[(.*)\]$/, "$1"), hostname()];
  return name !== "" && own.some((one) => one.toLowerCase() === name);
}
