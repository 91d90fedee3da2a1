import { isIP, isIPv6 } from "node:net";
import { ACCESS_FORMATS, formatParts } from "../../runtime/abi/access-format.js";
import { holdsKey, readChain } from "../../runtime/abi/pem.js";
import { visibleLine } from "../../runtime/abi/text/unseen.js";
import { DEFAULT_POLICY, hasKnownCiphers } from "../../runtime/abi/tls-policy.js";
import { parseJsonPath } from "../1-parse/json-path.js";
import { pluginFormats, type TextFormat, type TextFormats } from "../plugin/contributions.js";
import { nearestVariable } from "../variables/variable.js";

const ENCLOSED = "IPv6 address must be enclosed with '[' and ']'";
const BRACKETS = 'an IPv6 address is enclosed with "[" and "]"';
const PORT = "the port is a number from 1 to 65535";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
/** With or without padding: RFC 4648 section 3.2 leaves that to the user, and no bytes depend on it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const LABELS =
  /^(?=.{1,253}$)[0-9A-Za-z_](?:[0-9A-Za-z_-]*[0-9A-Za-z_])?(?:\.[0-9A-Za-z_](?:[0-9A-Za-z_-]*[0-9A-Za-z_])?)*\.?$/;

const OWN: TextFormats = {
  "header-name": {
    code: "GW2116",
    errorText: "invalid field character in header",
    // Without a name, or with a colon, the reference accepts none of its alternatives.
    nameRule: (name) => (/^$|:/.test(name) ? undefined : "invalid field character in header"),
    fault: headerNameFault,
  },
  /** Names of the flat map, which the reference checks after its schema. */
  "flat-header-name": {
    code: "GW2116",
    errorText: "invalid field character in header",
    nameRule: (name) => `invalid field ${name === "" ? "length" : "character"} in header`,
    fault: headerNameFault,
  },
  "header-value": {
    code: "GW2117",
    errorText: "invalid value character in header",
    rule: () => "invalid value character in header",
    fault: headerValueFault,
  },
  "header-line": {
    code: "GW2118",
    errorText: 'failed to match pattern "^[^:]+:.*$" with "{value}"',
    fault(text) {
      const colon = text.indexOf(":");
      if (colon === -1) return "a colon between name and value is missing";
      return headerNameFault(text.slice(0, colon).trimEnd()) ?? headerValueFault(text.slice(colon + 1));
    },
  },
  base64: {
    code: "GW2115",
    errorText: "invalid base64 content",
    fault(text) {
      if (BASE64.test(text)) return undefined;
      const bad = /[^A-Za-z0-9+/=]/.exec(text);
      if (bad) return `${shown(bad[0])} at position ${bad.index + 1} is not a base64 character`;
      return "the number of characters is not a multiple of four, or = is missing or misplaced at the end";
    },
  },
  "address-block": {
    code: "GW2119",
    errorText: blockErrorText,
    fault: blockFault,
  },
  address: {
    code: "GW2119",
    errorText: "invalid ip address: {value}",
    fault: (text) => (isAddress(text) ? undefined : "not an IPv4 or IPv6 address"),
  },
  "host-port": {
    shown: withoutUser,
    code: "GW2120",
    errorText: 'failed to match pattern "^\\\\*?[0-9a-zA-Z-._\\\\[\\\\]:]+$" with "{value}"',
    fault: hostPortFault,
  },
  host: {
    shown: withoutUser,
    code: "GW2120",
    errorText: 'failed to match pattern "^\\\\*?[0-9a-zA-Z-._\\\\[\\\\]:]+$" with "{value}"',
    fault: (text) => (isIPv6(text) ? undefined : nodeHostFault(text)),
  },
  broker: {
    shown: withoutUser,
    code: "GW2122",
    errorText: (text) => nodeErrorText(text, brokerFault(text)),
    fault: brokerFault,
  },
  authorities: {
    code: "GW2132",
    errorText: "invalid certificates of authorities",
    fault: authoritiesFault,
  },
  "pem-path": { code: "GW2136", errorText: "invalid path of a file", fault: pemPathFault },
  ciphers: {
    code: "GW2137",
    errorText: "no known cipher suite",
    fault: (text) => (hasKnownCiphers({ ...DEFAULT_POLICY, ciphers: text }) ? undefined : "none is known"),
  },
  "client-chain": { code: "GW2141", errorText: "invalid certificate chain", fault: chainFault },
  "json-path": {
    code: "GW2143",
    errorText: "invalid path of JSON",
    fault: (text) => {
      const steps = parseJsonPath(text);
      return typeof steps === "string" ? steps : undefined;
    },
  },
  "access-log-format": {
    code: "GW2129",
    errorText: "invalid format of the access log",
    fault: accessFormatFault,
  },
  "node-address": {
    shown: withoutUser,
    code: "GW2122",
    errorText: (text) => nodeErrorText(text, nodeFault(text)),
    rule: (text) => nodeRule(text, nodeFault(text)),
    fault: nodeFault,
  },
  "node-host": {
    shown: withoutUser,
    code: "GW2122",
    errorText: (text) => nodeErrorText(text, nodeHostFault(text)),
    rule: (text) => nodeRule(text, nodeHostFault(text)),
    fault: nodeHostFault,
  },
};

/** Lists formats of plugins last. */
export function textFormats(): readonly [name: string, format: TextFormat][] {
  return [...Object.entries(OWN), ...pluginFormats()];
}

export function findFormat(name: string | undefined): TextFormat | undefined {
  if (name === undefined) return undefined;
  return Object.hasOwn(OWN, name) ? OWN[name] : pluginFormats().get(name);
}

export function formatErrorText(format: string, text: string): string {
  const { errorText = "", shown = String } = findFormat(format) ?? {};
  return typeof errorText === "string" ? errorText.replace("{value}", () => shown(text)) : errorText(text);
}

/** Faults never repeat the text, which may be a key put there by mistake. */
function authoritiesFault(text: string): string | undefined {
  if (holdsKey(text)) return "it contains a private key";
  return readChain(text) === undefined ? unreadable(text, "there is no readable certificate") : undefined;
}

/** PEM text is expected, and somebody may have written a file name. */
const unreadable = (text: string, reason: string): string =>
  text.includes("-----BEGIN") ? reason : `${reason}; write PEM text, not a file name`;

/** Faults never repeat the text, which may be that of a key. */
function pemPathFault(text: string): string | undefined {
  if (text.includes("-----BEGIN")) return "it is PEM text, which belongs in cert or key";
  return text.includes("\t") || visibleLine(text) !== text ? "it has invisible characters" : undefined;
}

function chainFault(text: string): string | undefined {
  if (holdsKey(text)) return "the certificates contain a private key, which belongs in key";
  return readChain(text) === undefined ? unreadable(text, "there is no readable certificate") : undefined;
}

/** A single word is the name of a format: a pattern without a variable says nothing of a request. */
function accessFormatFault(text: string): string | undefined {
  if (ACCESS_FORMATS[text] !== undefined) return undefined;
  const names = Object.keys(ACCESS_FORMATS).join(", ");
  let fault: string | undefined;
  const parts = formatParts(text, (name) => {
    const near = nearestVariable(name);
    fault ??= `$${name} is not a variable of the access log${near === undefined ? "" : `, did you mean $${near}?`}`;
  });
  const hasVariable = parts.some((part) => "variable" in part);
  return fault ?? (hasVariable ? undefined : `it has no variable and is not one of ${names}`);
}

function headerNameFault(name: string): string | undefined {
  if (name === "") return "the name is empty";
  if (TOKEN.test(name)) return undefined;
  const bad = [...name].find((character) => !TOKEN.test(character)) ?? "";
  return `${shown(bad)} is not allowed in a header name`;
}

function headerValueFault(value: string): string | undefined {
  const bad = CONTROL.exec(value);
  return bad ? `${shown(bad[0])} is not allowed in a header value` : undefined;
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}

function blockFault(text: string): string | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  if (!isAddress(address) || rest.length > 0) return "not an IPv4 or IPv6 address or CIDR block";
  if (prefix === undefined) return undefined;
  const bits = isIPv6(address) ? 128 : 32;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)
    return `the prefix length is a number from 0 to ${bits}`;
  return undefined;
}

/** The reference has four alternatives: address or block, IPv4 or IPv6. The last accepts any prefix length. */
function blockErrorText(text: string): string {
  const [address = "", prefix = ""] = text.split("/");
  const isLong = isIPv6(address) && /^\d{1,3}$/.test(prefix);
  return isLong ? `invalid ip address: ${text}` : "object matches none of the required";
}

function hostPortFault(text: string): string | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined)
    return `it has no scheme: remove "${scheme}://", and set "scheme" of the upstream`;
  if (USER.test(text)) return "it has a user in front of the host";
  const found = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text);
  if (!found) return BRACKETS;
  const [, host = "", port] = found;
  const name = host.startsWith("[") ? isIPv6(host.slice(1, -1)) : LABELS.test(host);
  if (!name) return `"${host}" is neither a host name nor an address`;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535))
    return PORT;
  return undefined;
}

/** A user and a possible password, also as escaped in addresses. */
const USER = /^.*(?:@|%40)/is;

function withoutUser(text: string): string {
  return text.replace(USER, "***@");
}

/** Variables are resolved at run time: their values may be any text. */
function withoutVariables(text: string): string {
  return text.replace(/\$\{\{[^}]*\}\}/g, "1");
}

function nodeFault(text: string): string | undefined {
  const plain = withoutVariables(text);
  if (isIPv6(plain)) return BRACKETS;
  const fault = hostPortFault(plain);
  return fault ?? (plain === text ? addressFault(text.replace(/:\d*$/, "")) : undefined);
}

/** The port may be 0, although nothing can connect to it. */
function brokerFault(text: string): string | undefined {
  const port = /^.+:(\d{1,5})$/s.exec(text)?.[1];
  if (port === undefined) return 'it has the form "host:port"';
  return nodeFault(Number(port) === 0 ? text.replace(/:0+$/, ":1") : text);
}

function nodeHostFault(text: string): string | undefined {
  const plain = withoutVariables(text);
  if (isIPv6(plain)) return BRACKETS;
  if (/:\d*$/.test(plain) && !plain.startsWith("[")) return 'the port stands in "port"';
  return hostPortFault(plain) ?? (plain === text ? addressFault(text) : undefined);
}

/** A host name may also have the form of four numbers. */
function addressFault(host: string): string | undefined {
  return /^[\d.]+$/.test(host) && isIP(host) === 0 ? `"${host}" is not an IPv4 address` : undefined;
}

function nodeErrorText(text: string, fault: string | undefined): string {
  return fault === BRACKETS ? ENCLOSED : (nodeRule(text, fault) ?? fault ?? "");
}

/** The reference's text for faults in node addresses (section 3.1). */
function nodeRule(text: string, fault: string | undefined): string | undefined {
  if (fault === BRACKETS) return `invalid configuration: ${ENCLOSED}`;
  const port = /:([^:\]]*)$/.exec(text)?.[1];
  return fault === PORT && port !== undefined ? `invalid port ${port}` : undefined;
}

function shown(character: string): string {
  const names: Record<string, string> = {
    "\r": "CR",
    "\n": "LF",
    "\0": "NUL",
    " ": "a blank",
    ":": "a colon",
  };
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return names[character] ?? (/[\x00-\x1f\x7f]/.test(character) ? `U+${code}` : `"${character}"`);
}
