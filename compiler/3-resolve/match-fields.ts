import { escapedPattern, PathFault, patternForm } from "../../runtime/abi/path.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report, Span } from "../model/diagnostic.js";
import { unnamed } from "../model/path-patterns.js";
import type { Resource } from "../model/resource.js";
import type { Path, Spanned } from "../model/source.js";
import type { RouteValue, ServiceValue } from "./values.js";

/** Pattern that matches something else than it seems to say. */

interface Misreading {
  code: "GW3034" | "GW3035" | "GW3036" | "GW4208";
  params: Record<string, string>;
}

/**
 * A name behind a star, up to the end of its segment or another star. Behind a slash and at the end of the
 * path, it is valid: it names the rest.
 */
const NAMED_STAR = /\*([A-Za-z_]\w*)(?=[/*]|$)/g;
const PARAMETER = /(?<=\/):([^/*]+)/g;
const NAME = /^[\w-]+$/;
/** Name of a segment or of the rest of the path. */
const PART = /(?<=\/)(?::([^/*]+)|\*([A-Za-z_]\w*)$)/g;
/** Parameters of OpenAPI, Flask and Next.js, and parts of regular expressions. */
const FOREIGN = /\{[^/{}]*\}|<[^/<>]+>|\[[^/\]]+\]|\([^/()]*\|[^/()]*\)|\\[dDsSwWb]|\$$/;

function misreadingOf(uri: string): Misreading | undefined {
  for (const { 0: star, 1: name = "", index } of uri.matchAll(NAMED_STAR)) {
    const end = index + star.length;
    if (uri[index - 1] === "/" && end === uri.length) continue;
    return { code: "GW3034", params: { uri, star, rest: `${name}${uri.slice(end)}` } };
  }
  for (const [parameter, name = ""] of uri.matchAll(PARAMETER))
    if (!NAME.test(name)) return { code: "GW3035", params: { uri, parameter, name } };
  const [text] = FOREIGN.exec(uri) ?? [];
  if (text !== undefined) return { code: "GW3036", params: { uri, text } };
  const name = repeatedName(uri);
  return name === undefined ? undefined : { code: "GW4208", params: { uri, name } };
}

/** Finds a name that two parts share: its variable has one value. */
function repeatedName(uri: string): string | undefined {
  const names = [...uri.matchAll(PART)].map(([, segment, rest]) => segment ?? rest ?? "");
  return names.find((name, index) => names.indexOf(name) < index);
}

/** In lower case. A route without hosts has those of its service. */
export function routeHosts(
  { value, spans }: Spanned<RouteValue>,
  service: Spanned<ServiceValue> | undefined,
  report: Report,
): string[] {
  if (value.host !== undefined) return hostList([value.host], () => spans.value(["host"]), report);
  if (value.hosts !== undefined)
    return hostList(value.hosts, (index) => spans.value(["hosts", index]), report);
  // The check of the service reports faults of its hosts once, not once per route.
  return service?.value.hosts ? serviceHosts(service, () => {}) : [];
}

export function serviceHosts({ value, spans }: Spanned<ServiceValue>, report: Report): string[] {
  return hostList(value.hosts ?? [], (index) => spans.value(["hosts", index]), report);
}

function hostList(written: readonly string[], place: (index: number) => Span, report: Report): string[] {
  const first = new Map<string, number>();
  written.forEach((spelling, index) => {
    // Requests are matched without a trailing dot of their host, which does not change the name.
    const host = spelling.toLowerCase().replace(/(?<=[^*])\.$/, "");
    const reason = hostFault(host);
    if (reason) report(diagnostic("GW3042", place(index), { host: spelling, reason }));
    const earlier = first.get(host);
    if (earlier === undefined) first.set(host, index);
    else report(repeated("host", spelling, place(index), place(earlier)));
  });
  return [...first.keys()];
}

/** @returns the reason why no request's host equals this text or ends with it; undefined if one may */
function hostFault(host: string): string | undefined {
  if (host.lastIndexOf("*") > 0) return 'a "*" stands for the beginning of a name, so it can only come first';
  const rest = host.replace(/^\*/, "");
  if (/^\[[0-9a-f:.]+\]$/.test(rest)) return undefined;
  if (/^[^:[\]]*:\d*$|\]:\d*$/.test(rest)) return "hosts are compared without their port";
  if (/[:[\]]/.test(rest)) return 'an IPv6 address is enclosed in "[" and "]"';
  if (/\.\./.test(rest) || (host === rest && rest.startsWith("."))) return "a name has no empty label";
  return undefined;
}

/** Maximum pairs of host and path that lead the router to one route: 50,000 take 0.2 s and 25 MB. */
const MAX_PAIRS = 50_000;

/** @returns no host after reporting that they make too many pairs with the paths */
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

export function routeUris({ value, spans }: Spanned<RouteValue>, report: Report): string[] {
  const [written, at]: [string[], (index: number) => Path] =
    value.uri === undefined ? [value.uris ?? [], (index) => ["uris", index]] : [[value.uri], () => ["uri"]];
  const first = new Map<string, number>();
  return written.map((uri, index) => {
    const place = () => spans.value(at(index));
    const form = comparedForm(uri, place, report);
    // The schema has rejected equal texts; patterns that differ only in parameter names are equal too.
    const pattern = unnamed(form);
    const earlier = first.get(pattern);
    if (earlier === undefined) first.set(pattern, index);
    else report(repeated("uri", uri, place(), spans.value(at(earlier))));
    return form;
  });
}

/** Returns the configured pattern if no request's path can match it. */
function comparedForm(uri: string, place: () => Span, report: Report): string {
  const form = patternForm(uri);
  if (form instanceof PathFault) {
    report(diagnostic("GW3044", place(), { uri, reason: form.reason }));
    return escapedPattern(uri);
  }
  const misread = misreadingOf(uri);
  if (misread) report(diagnostic(misread.code, place(), misread.params));
  // A space or a letter beyond ASCII has only one spelling in a path, so that needs no diagnostic.
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
