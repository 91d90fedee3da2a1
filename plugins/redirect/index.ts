import {
  diagnostic,
  type PlanContext,
  type PluginDefinition,
  type PluginSettings,
  parseText,
  pathSubject,
  planRegex,
  planReplacement,
  reportAtReference,
  type Span,
  targetWords,
  textWords,
} from "../../compiler/plugin-api.js";
import { DIAGNOSTICS } from "./diagnostics.js";
import { type LocationTemplate, splitLocation } from "./location.js";
import { leadsToItself, reportHost } from "./location-check.js";
import type { Redirect } from "./schema.gen.js";
import { type RedirectData, redirectView } from "./view.js";

type Settled = PluginSettings<Redirect>;

const FIRST_ERROR = 400;
/** Statuses whose Location clients follow. */
const FOLLOWED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const DEFAULT_PORT = 443;

export const redirect: PluginDefinition<Redirect, RedirectData> = {
  name: "redirect",
  priority: 900,
  moduleUrl: import.meta.url,
  phases: ["rewrite"],
  canRespond: true,
  exports: {
    redirect: [],
    toHttps: [],
    hostOf: [],
    authorityText: [],
    rootedText: [],
    onThisHost: [],
    replacedInPath: [],
    replacedToEnd: [],
  },
  diagnostics: DIAGNOSTICS,
  plan(settings, context) {
    const data = planned(settings, context);
    return data === undefined ? [] : [{ phase: "rewrite", origin: context.origin([]), data }];
  },
  describe: ({ data }) => [described(data)],
  decisions: ({ data }) =>
    data.kind === "location" && data.pattern !== null
      ? [{ field: "regex_uri[0]", origin: data.pattern.origin, text: data.pattern.regex.cost }]
      : [],
  pathPatterns: ({ data }) => (data.kind === "location" && data.pattern !== null ? [data.pattern] : []),
  view: ({ data }, printer) => redirectView(data, printer),
};

function planned(settings: Settled, context: PlanContext): RedirectData | undefined {
  const { value, written, spans } = settings;
  if (value.http_to_https !== undefined) {
    if (value.http_to_https && value.append_query_string)
      context.report(diagnostic("GW4334", spans.key(["append_query_string"])));
    return value.http_to_https ? { kind: "https", port: httpsPort(context) } : undefined;
  }
  const { ret_code: status, append_query_string: append } = value;
  // An error status is intentional: 503 without `Location` is how a global rule closes a gateway (docs/recipes.md).
  if (written.ret_code !== undefined && status < FIRST_ERROR && !FOLLOWED.has(status))
    context.report(diagnostic("GW4331", spans.value(["ret_code"]), { status }));
  context.setsStatus(status, ["ret_code"]);
  const found = value.uri === undefined ? planRule(settings, context) : planUri(value.uri, settings, context);
  if (found === undefined) return undefined;
  const { to, pattern } = found;
  return { kind: "location", status, to: { ...to, query: to.query || append }, pattern };
}

/** Chooses in the order of APISIX. */
function httpsPort({ attributes, securePort }: PlanContext): number {
  const { https_port: port } = attributes as { https_port?: number };
  return port ?? (securePort || DEFAULT_PORT);
}

type Found = Pick<Extract<RedirectData, { kind: "location" }>, "to" | "pattern">;

function planUri(uri: string, settings: Settled, context: PlanContext): Found {
  const at = settings.spans.value(["uri"]);
  const rules = { now: "request", place: "uri", captures: undefined } as const;
  const to = judged(
    splitLocation(parseText(uri, rules, reportAtReference(uri, 0, at, context.report))),
    at,
    context,
  );
  if (
    settings.written._meta?.filter === undefined &&
    leadsToItself(to, context.guarantees, Boolean(context.securePort))
  )
    context.report(diagnostic("GW4330", at, { uri }));
  return { to, pattern: null };
}

function planRule({ value, spans }: Settled, context: PlanContext): Found | undefined {
  const [pattern = "", replacement = ""] = value.regex_uri ?? [];
  const at = spans.value(["regex_uri", 0]);
  const { patterns, report } = context;
  const input = { pattern, options: "", subject: pathSubject(patterns), budget: patterns.budget, span: at };
  const regex = planRegex(input, report);
  if (regex === undefined) return undefined;
  const place = spans.value(["regex_uri", 1]);
  const parts = planReplacement(replacement, regex.groups, place, report);
  if (parts === undefined) return undefined;
  const origin = context.origin(["regex_uri", 0]);
  return { to: judged(splitLocation(parts), place, context), pattern: { regex: regex.regex, origin } };
}

function judged(to: LocationTemplate, at: Span, { report }: PlanContext): LocationTemplate {
  reportHost(to, at, report);
  return to;
}

function described(data: RedirectData): string {
  if (data.kind === "https")
    return `redirects requests without TLS to https, port ${data.port}, with 301 (GET, HEAD) or 308`;
  const { origin, target, fragment, query } = data.to;
  const parts = [...(origin ?? []), ...target.path];
  const where = targetWords({ path: parts, query: target.query });
  const behind = fragment === null ? "" : ` with the fragment ${textWords(fragment)}`;
  const also = query ? ", the query of the request behind it" : "";
  const when =
    data.pattern === null
      ? ""
      : ` where /${data.pattern.regex.pattern}/ matches in the path, in place of what it matches,`;
  return `redirects${when} to ${where}${behind}${also}, with ${data.status}`;
}
