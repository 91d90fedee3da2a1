import { environmentReferences } from "../../runtime/abi/environment.js";
import { overlap } from "./hosts.js";
import { isNodeIn } from "./networks.js";

/** A last label that WHATWG takes for a number makes an address of a host ("127.1", "0x7f.1"); no label of a name does. */
const NUMBER = /^(?:\d*|0x[0-9a-f]*)$/i;

/** Reports whether a host is only known where the gateway runs. */
export const isVariable = (host: string): boolean => environmentReferences(host).length > 0;

/** Reports whether an entry names the host, whatever a variable in it becomes. */
export function isAlwaysIn(host: string, entry: string): boolean {
  if (!isVariable(host)) return isNodeIn(host, entry);
  if (entry === "*") return true;
  const { end } = fixedParts(host);
  return !mayBeAddress(end) && entry.startsWith("*") && isNodeIn(`a${end}`, entry);
}

/** Reports whether an entry names the host, or could by what a variable in it becomes. */
export function mayBeIn(host: string, entry: string): boolean {
  if (!isVariable(host)) return isNodeIn(host, entry);
  const { start, end } = fixedParts(host);
  if (entry === "*") return true;
  if (isNetwork(entry)) return mayBeAddress(end);
  const name = entry.toLowerCase();
  if (name.startsWith("*")) return overlap(`*${end}`, name);
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** Names of hosts in entries hold a letter that no address has, or they are addresses. */
const isNetwork = (entry: string) => entry.includes(":") || NUMBER.test(labelOf(entry.split("/")[0] ?? ""));

/** A host with this end may be an address: its last label is not fixed, or it is a number. */
const mayBeAddress = (end: string) => !end.includes(".") || NUMBER.test(labelOf(end));

const labelOf = (host: string) => host.slice(host.lastIndexOf(".") + 1);

/** Characters before the first variable and behind the last. A dot at the end of a name means nothing. */
function fixedParts(host: string): { start: string; end: string } {
  const start = host.slice(0, host.indexOf("${{"));
  const end = host.slice(host.lastIndexOf("}}") + 2);
  return { start: start.toLowerCase(), end: end.toLowerCase().replace(/\.$/, "") };
}
