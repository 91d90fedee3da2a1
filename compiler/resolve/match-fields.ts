import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Located, Path } from "../parse/source.js";
import { unnamed } from "./patterns.js";
import type { RouteValue, ServiceValue } from "./values.js";

type Report = (diagnostic: Diagnostic) => void;

/** Hosts of a route, lower-cased, its service's when it has none of its own. */
export function routeHosts(
  { value, spans }: Located<RouteValue>,
  service: Located<ServiceValue> | undefined,
  report: Report,
): string[] {
  if (value.host !== undefined) return hostList([value.host], () => spans.value(["host"]), report);
  if (value.hosts !== undefined)
    return hostList(value.hosts, (index) => spans.value(["hosts", index]), report);
  // The service's own check reports its faults once, not once a route.
  return service?.value.hosts ? serviceHosts(service, () => {}) : [];
}

export function serviceHosts({ value, spans }: Located<ServiceValue>, report: Report): string[] {
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
  if (/^[^:[\]]*:\d+$|\]:\d+$/.test(rest)) return "hosts are compared without their port";
  if (/[:[\]]/.test(rest)) return 'an IPv6 address is enclosed in "[" and "]"';
  if (/\.\./.test(rest) || (host === rest && rest.startsWith("."))) return "a name has no empty label";
  return undefined;
}

/** Path patterns of a route. */
export function routeUris({ value, spans }: Located<RouteValue>, report: Report): string[] {
  const [written, at]: [string[], (index: number) => Path] =
    value.uri === undefined ? [value.uris ?? [], (index) => ["uris", index]] : [[value.uri], () => ["uri"]];
  const first = new Map<string, number>();
  written.forEach((uri, index) => {
    const reason = uriFault(uri);
    if (reason) report(diagnostic("GW3044", spans.value(at(index)), { uri, reason }));
    // The schema has refused the same text twice; other names for the parameters make no other pattern.
    const pattern = unnamed(uri);
    const earlier = first.get(pattern);
    if (earlier === undefined) first.set(pattern, index);
    else report(repeated("uri", uri, spans.value(at(index)), spans.value(at(earlier))));
  });
  return written;
}

/** Why no request's path can fit: what is matched is decoded, free of dot segments, with slashes merged, without query. */
function uriFault(uri: string): string | undefined {
  if (uri.includes("//")) return "repeated slashes are merged before matching";
  if (/\/\.\.?(?:\/|$)/.test(uri)) return 'segments "." and ".." are resolved before matching';
  if (uri.includes("?")) return "the query is not part of the path; a route looks at it in `vars`";
  const encoded = /%[0-9A-Fa-f]{2}/.exec(uri);
  if (encoded) return `"${encoded[0]}" is decoded before matching, so write the character itself`;
  return undefined;
}

function repeated(field: string, value: string, span: Span, earlier: Span): Diagnostic {
  return diagnostic(
    "GW3043",
    span,
    { field, value },
    { notes: [{ message: "the first one is here", span: earlier }] },
  );
}
