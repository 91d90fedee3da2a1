import { isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { CONFIG_PATH_RULES, inEscapes, normalPath, PathFault } from "../../runtime/abi/path.js";
import { addressOf } from "../../runtime/abi/text/addresses.js";
import type { Operator } from "../model/plan.js";

/** Reason why a variable never has a value, and the replacement to suggest. */
export interface ValueFault {
  reason: string;
  help?: string | undefined;
  /**
   * Comparison that was probably meant, instead of help; the caller negates it if the configured one is
   * negated.
   */
  instead?: { operator: Operator; value: string };
  /** Default: "is never". */
  verb?: string;
}

/** Reports whether a text has the form of an address with a prefix length. */
export const isAddressBlock = (text: string): boolean => /^[0-9a-fA-F:.]+\/\d+$/.test(text);

/** Variables with a few possible values, or none. */
export const CHOICES: Readonly<Record<string, readonly string[]>> = {
  scheme: ["http", "https"],
  https: ["on"],
  is_args: ["?"],
  server_protocol: ["HTTP/1.1", "HTTP/1.0"],
  server_name: ["_"],
  ssl_protocol: ["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1"],
  ssl_session_reused: ["r", "."],
  consumer_group_id: [],
};
export const ADDRESSES: ReadonlySet<string> = new Set(["remote_addr", "realip_remote_addr", "server_addr"]);
export const IS_METHOD = /^(?:request_)?method$/;
export const IS_HOST = /^host(?:name)?$/;
export const IS_PATH = /^(?:uri$|uri_param_)/;
const IS_TARGET = /^(?:real_)?request_uri$/;
/** Host as requests have it: without port and trailing dot. */
const HOST = /^(?:[a-z0-9\-_~!$&'()*+;=]+(?:\.[a-z0-9\-_~!$&'()*+;=]+)*|\[[0-9a-f:.]+\])$/;
const STAR = { verb: "is compared as text with", reason: "a star is no wildcard here" };

/** @returns undefined if requests may have the value */
export function impossibleValue(name: string, text: string): ValueFault | undefined {
  const choices = CHOICES[name];
  if (choices !== undefined) return choiceFault(name, text, choices);
  if (ADDRESSES.has(name)) return addressFault(text);
  if (IS_METHOD.test(name)) return methodFault(text);
  if (IS_HOST.test(name)) return hostFault(text);
  if (name === "ssl_server_name") return serverNameFault(text);
  if (IS_PATH.test(name)) return pathFault(name, text);
  if (IS_TARGET.test(name) && !/^(?:\/|\*$|http:\/\/)/i.test(text))
    return { reason: 'the target of a request begins with "/"', help: `write ${shown(`/${text}`)}` };
  return undefined;
}

export const choicesReason = (choices: readonly string[]): string =>
  choices.length === 0 ? "it is always absent" : `it is ${choices.map(shown).join(" or ")}`;

function choiceFault(name: string, text: string, choices: readonly string[]): ValueFault | undefined {
  if (choices.includes(text)) return undefined;
  const [only = ""] = choices;
  const near = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  const single = near ?? (choices.length === 1 ? only : undefined);
  const help =
    name === "server_name" ? "compare host" : single === undefined ? undefined : `write ${shown(single)}`;
  return { reason: choicesReason(choices), help };
}

function addressFault(text: string): ValueFault | undefined {
  const form = addressOf(text);
  if (form === text) return undefined;
  if (form !== undefined)
    return { reason: `the address is compared as the text ${shown(form)}`, help: `write ${shown(form)}` };
  const reason = "it is one address";
  return isAddressBlock(text)
    ? { reason, instead: { operator: "ipmatch", value: text } }
    : { reason, help: '"ipmatch" compares with blocks such as 10.0.0.0/8' };
}

function methodFault(text: string): ValueFault | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text))
    return { reason: "it is one method", help: 'write ["request_method", "in", ["GET", "POST"]]' };
  if (text === text.toUpperCase()) return undefined;
  return {
    reason: "methods are case-sensitive, and clients send them in capitals",
    help: `write ${shown(text.toUpperCase())}`,
  };
}

function hostFault(text: string): ValueFault | undefined {
  if (text === "") return undefined;
  if (isIPv6(text)) return { reason: "an IPv6 address has brackets", help: `write ${shown(`[${text}]`)}` };
  const port = /^(.+):\d{1,5}$/.exec(text)?.[1];
  const bare = (port ?? text).toLowerCase().replace(/\.$/, "");
  const ascii = /^[\x21-\x7e]+$/.test(bare) ? bare : domainToASCII(bare);
  if (!HOST.test(ascii)) return { reason: "it is the name of one host, in lower case and without port" };
  if (port !== undefined)
    return {
      reason: "the host is compared without port",
      help: `write ${shown(ascii)}; server_port is the port that took the request`,
    };
  if (ascii !== text)
    return { reason: `the host is compared as ${shown(ascii)}`, help: `write ${shown(ascii)}` };
  if (!text.includes("*")) return undefined;
  const pattern = text.replaceAll(".", "[.]").replace(/^\*/, "").replaceAll("*", ".*");
  return { ...STAR, instead: { operator: "~~", value: `${pattern}$` } };
}

function serverNameFault(text: string): ValueFault | undefined {
  const [, bare, port] = /^(.*?)(:\d{1,5})?$/s.exec(text) ?? [];
  const name = (bare ?? text).toLowerCase().replace(/\.$/, "");
  if (name === text) return undefined;
  if (port !== undefined) return { reason: "the name of a server has no port", help: `write ${shown(name)}` };
  return { reason: `the name is compared as ${shown(name)}`, help: `write ${shown(name)}` };
}

function pathFault(name: string, text: string): ValueFault | undefined {
  // GW4019 covers spaces and letters beyond ASCII.
  if (inEscapes(text) !== undefined) return undefined;
  if (/[?#]/.test(text))
    return { reason: "it is a path without query", help: "compare arg_<name> for a parameter of the query" };
  if (name !== "uri" || text === "*") return undefined;
  if (!text.startsWith("/")) return { reason: 'a path begins with "/"', help: `write ${shown(`/${text}`)}` };
  const form = normalPath(text, CONFIG_PATH_RULES);
  if (form instanceof PathFault) return { reason: form.reason };
  if (form !== text)
    return { reason: `the path is compared as ${shown(form)}`, help: `write ${shown(form)}` };
  if (!text.endsWith("/*")) return undefined;
  return { ...STAR, instead: { operator: "~~", value: `^${text.slice(0, -1).replaceAll(".", "[.]")}` } };
}

const shown = (text: string): string => JSON.stringify(text);
