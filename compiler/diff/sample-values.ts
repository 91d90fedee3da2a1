import type { Regex } from "../model/plan.js";
import type { Node } from "../regex/ast.js";
import type { CharSet } from "../regex/charset.js";
import { parseRegex } from "../regex/translate.js";

/** Values of variables with few; undefined is one of them if the variable may be absent. */
const KNOWN: Readonly<Record<string, readonly (string | undefined)[]>> = {
  scheme: ["http", "https"],
  https: [undefined, "on"],
  is_args: ["?", ""],
  server_protocol: ["HTTP/1.1", "HTTP/1.0"],
  ssl_client_verify: ["NONE", "SUCCESS", "FAILED:unable to verify the first certificate", undefined],
  ssl_protocol: ["TLSv1.3", "TLSv1.2", undefined],
  ssl_session_reused: [".", "r", undefined],
};

/**
 * Documentation addresses (RFC 5737, RFC 3849) that other examples do not use; the last is for blocks of all
 * IPv4.
 */
const ADDRESSES = ["203.0.113.9", "198.51.100.8", "2001:db8::9"];
const PORTS = ["50001", "50002"];
const METHODS = ["POST", "GET"];
/** Several values each, since a pattern may match the first; undefined if any text is allowed. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  remote_addr: ADDRESSES,
  realip_remote_addr: ADDRESSES,
  server_addr: ADDRESSES,
  remote_port: PORTS,
  server_port: PORTS,
  method: METHODS,
  request_method: METHODS,
  request: METHODS,
  request_line: METHODS,
  status: ["404", "503", "200"],
  upstream_status: ["404", "503", "200"],
  content_length: ["19", "20"],
};

/** Unusual values; certificates are fictitious. */
const SAMPLES: Readonly<Record<string, string>> = {
  realip_remote_addr: "198.51.100.7",
  remote_addr: "198.51.100.7",
  remote_port: "50000",
  scheme: "https",
  https: "on",
  server_addr: "198.51.100.8",
  server_protocol: "HTTP/1.0",
  ssl_cipher: "TLS_CHACHA20_POLY1305_SHA256",
  ssl_client_fingerprint: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  ssl_client_i_dn: "CN=ca.example",
  ssl_client_s_dn: "CN=client.example",
  ssl_client_serial: "1001",
  ssl_client_verify: "SUCCESS",
  ssl_protocol: "TLSv1.2",
  ssl_session_reused: "r",
};

/** @returns undefined if the variable has many */
export const knownValues = (variable: string): readonly (string | undefined)[] | undefined => KNOWN[variable];

export const othersOf = (variable: string): readonly string[] | undefined => OTHERS[variable];

export const sampleOf = (variable: string): string => SAMPLES[variable] ?? "v";

/** Preferred characters: readable, and unescaped in paths and headers. */
const PLEASANT = [..."a1/-_.bcxyz0A"].map((character) => character.charCodeAt(0));
const VARIANTS = [0, 1, 2];
const LONGEST = 200;

/** Returns the shortest text first; none if none was found. */
export function matchingTexts({ pattern, options, source, flags }: Regex): string[] {
  const tree = parseRegex(pattern, options);
  if (tree === undefined) return [];
  const matches = new RegExp(source, flags.replace(/[gy]/g, ""));
  const texts = VARIANTS.map((extra) => sample(tree, extra));
  return [...new Set(texts)].filter((text) => text.length <= LONGEST && matches.test(text));
}

function sample(node: Node, extra: number): string {
  switch (node.kind) {
    case "set":
      return memberOf(node.set);
    case "sequence":
      return node.items.map((item) => sample(item, extra)).join("");
    case "choice":
      return sample(node.branches[extra % node.branches.length] ?? node, extra);
    case "group":
    case "atomic":
      return sample(node.body, extra);
    case "repeat": {
      const text = sample(node.body, extra);
      // Longer texts are dropped later. The bound also keeps nested counts below V8's maximum string length.
      const enough = Math.ceil((LONGEST + 1) / Math.max(text.length, 1));
      return text.repeat(Math.min(node.max, Math.max(node.min, extra), enough));
    }
    case "conditional":
      return sample(node.yes, extra);
    case "newline":
      return "\n";
    default:
      return "";
  }
}

function memberOf({ ranges, negated }: CharSet): string {
  const has = (code: number) => ranges.some(([from, to]) => from <= code && code <= to) !== negated;
  const code = PLEASANT.find(has) ?? ranges[0]?.[0];
  return code === undefined ? "" : String.fromCodePoint(code);
}
