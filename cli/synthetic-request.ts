import "../plugins/runtime.js";
import { PathFault, type PathRules } from "../runtime/abi/path.js";
import { WireFault } from "../runtime/http/fault.js";
import { DEFAULT_LIMITS } from "../runtime/http/limits.js";
import { parseRequestHead } from "../runtime/http/request-head.js";
import { beginExchange } from "../runtime/proxy/exchange/target.js";
import { applyAdmission, UNTRUSTED_ADMISSION } from "../runtime/proxy/host/admission.js";

export interface Described {
  method: string;
  /** Path with query, or an http URL whose authority becomes Host. */
  url: string;
  /** "Name: value". */
  headers: readonly string[];
  client: string;
}

const NOTHING = { number: 0, globalRules: [], pluginMetadata: new Map(), match: () => undefined };

/** Uses the gateway's parser; returns a text if the gateway would reject the request before routing. */
export function syntheticRequest({ method, url, headers, client }: Described, rules?: PathRules) {
  const absolute = /^https?:\/\/([^/?]+)(.*)$/i.exec(url);
  const target = absolute ? absolute[2] || "/" : url;
  const named = headers.some((line) => /^host\s*:/i.test(line));
  const host = named ? [] : [`Host: ${absolute?.[1] ?? "localhost"}`];
  const text = `${[`${method} ${target} HTTP/1.1`, ...host, ...headers].join("\r\n")}\r\n\r\n`;
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS);
  if (head instanceof WireFault) return `the gateway rejects the request with ${head.status}: ${head.reason}`;
  applyAdmission(head, client, UNTRUSTED_ADMISSION);
  const connection = {
    remoteAddr: client,
    remotePort: 0,
    serverAddr: "127.0.0.1",
    serverPort: 9_080,
    startedAt: Date.now(),
  };
  const x = beginExchange({ head, bytesSent: 0, connection }, NOTHING, rules);
  return x instanceof PathFault
    ? `the gateway rejects the request with 400: the path of the target: ${x.reason}`
    : x;
}
