import { escapedPattern, PathFault, patternForm } from "../../runtime/abi/path.js";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Path, Spanned } from "../parse/source.js";
import { misreadingOf } from "./pattern-syntax.js";
import type { Resource } from "./resource.js";
import type { RouteValue, ServiceValue } from "./values.js";

type Report = (diagnostic: Diagnostic) => void;

/** Hosts of a route, lower-cased, its service's when it has none of its own. */
export function routeHosts(
  { value, spans }: Spanned<RouteValue>,
  service: Spanned<ServiceValue> | undefined,
  report: Report,
): string[] {
  if (value.host !== undefined) return hostList([value.host], () => spans.value(["host"]), report);
  if (value.hosts !== undefined)
    return hostList(value.hosts, (index) => spans.value(["hosts", index]), report);
  // The service's own check reports its faults once, not once a route.
  return service?.value.hosts ? serviceHosts(service, () => {}) : [];
}

export function serviceHosts({ value, spans }: Spanned<ServiceValue>, report: Report): string[] {
  return hostList(value.hosts ?? [], (index) => spans.value(["hosts", index]), report);
}

function hostList(written: readonly string[], place: (index: number) => Span, report: Report): string[] {
  const first = new Map<string, number>();
  written.forEach((spelling, index) => {
    // Requests are matched without a dot behind their host, which changes no name.
    const host = spelling.toLowerCase().replace(/(?<=[^*])\.$/, "");
    const reason = hostFault(host);
    if (reason) report(diagnostic("GW3042", place(index), { host: spelling, reason }));
    const earlier = first.get(host);
    if (earlier === undefined) first.set(host, index);
    else report(repeated("host", spelling, place(index), place(earlier)));
  });
  return [...first.keys()];
}

/** Why no request's host equals or ends like this, or undefined. */
function hostFault(host: string): string | undefined {
  if (host.lastIndexOf("*") > 0) return 'a "*" stands for the beginning of a name, so it can only come first';
  const rest = host.replace(/^\*/, "");
  if (/^\[[0-9a-f:.]+\]$/.test(rest)) return undefined;
  if (/^[^:[\]]*:\d*$|\]:\d*$/.test(rest)) return "hosts are compared without their port";
  if (/[:[\]]/.test(rest)) return 'an IPv6 address is enclosed in "[" and "]"';
  if (/\.\./.test(rest) || (host === rest && rest.startsWith("."))) return "a name has no empty label";
  return undefined;
}

/** Pairs of host and path under which the router finds one route: 50,000 of them take 0.2 s and 25 MB. */
const MAX_PAIRS = 50_000;

/** The hosts, or none after the finding that they make too many pairs with the paths. */
export function hostsForPaths(
  { id, spans }: Resource<RouteValue>,
  hosts: string[],
  uris: readonly string[],
  report: Report,
): string[] {
  const pairs = hosts.length * uris.length;
  if (pairs <= MAX_PAIRS) return hosts;
  const params = { id, hosts: hosts.length, uris: uris.length, pairs, limit: MAX_PAIRS };
  report(diagnostic("GW2135", spans.key(["uris"]), params));
  return [];
}

/** Path patterns of a route, in the form that they are compared in. */
export function routeUris({ value, spans }: Spanned<RouteValue>, report: Report): string[] {
  const [written, at]: [string[], (index: number) => Path] =
    value.uri === undefined ? [value.uris ?? [], (index) => ["uris", index]] : [[value.uri], () => ["uri"]];
  const first = new Map<string, number>();
  return written.map((uri, index) => {
    const place = () => spans.value(at(index));
    const form = comparedForm(uri, place, report);
    // The schema has refused the same text twice; other names for the parameters make no other pattern.
    const pattern = unnamed(form);
    const earlier = first.get(pattern);
    if (earlier === undefined) first.set(pattern, index);
    else report(repeated("uri", uri, place(), spans.value(at(earlier))));
    return form;
  });
}

/** The pattern in the normal form of paths; as written where no request's path can have it. */
function comparedForm(uri: string, place: () => Span, report: Report): string {
  const form = patternForm(uri);
  if (form instanceof PathFault) {
    report(diagnostic("GW3044", place(), { uri, reason: form.reason }));
    return escapedPattern(uri);
  }
  const misread = misreadingOf(uri);
  if (misread) report(diagnostic(misread.code, place(), misread.params));
  // A blank or a letter beyond ASCII has only one spelling in a path; that needs no word.
  if (form !== escapedPattern(uri)) report(diagnostic("GW3045", place(), { uri, form }));
  return form;
}

function repeated(field: string, value: string, span: Span, earlier: Span): Diagnostic {
  return diagnostic(
    "GW3043",
    span,
    { field, value },
    { notes: [{ message: "the first one is here", span: earlier }] },
  );
}

/** What path patterns have in common, by the rules of the router (reference 2.2). */

/** The path before the first wildcard or parameter; the whole of an exact one. */
export function literalPrefix(uri: string): string {
  const wildcard = uri.search(/\*|(?<=\/):(?=[^/*])/);
  return wildcard < 0 ? uri : uri.slice(0, wildcard);
}

/** Whether `a` fits every path that `b` fits; both share a literal prefix, or `b`'s extends `a`'s. */
export function covers(a: string, b: string): boolean {
  if (a === b) return true;
  const literal = literalPrefix(a);
  const pattern = unnamed(a);
  return (pattern === `${literal}*` && b.startsWith(literal)) || pattern === unnamed(b);
}

/** Whether some path may fit both: the literal beginning of one begins the other's. */
export function overlaps(a: string, b: string): boolean {
  const [first, second] = [literalPrefix(a), literalPrefix(b)];
  if (first === a && second === b) return a === b;
  if (first === a) return a.startsWith(second);
  if (second === b) return b.startsWith(first);
  return first.startsWith(second) || second.startsWith(first);
}

/** The pattern whatever its parameters are called. */
function unnamed(uri: string): string {
  return uri.replace(/(?<=\/):[^/*]+/g, ":x").replace(/(?<=\/)\*[A-Za-z_]\w*$/, "*");
}
