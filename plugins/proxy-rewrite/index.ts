import {
  type Cover,
  coversOf,
  type Diagnostic,
  diagnostic,
  type HeaderAction,
  headerWords,
  inEscapes,
  normalizedTemplatePath,
  PathFault,
  type PlanContext,
  type PluginDefinition,
  type PluginSettings,
  parseText,
  pathSubject,
  planHeaderActions,
  planRegex,
  planReplacement,
  quoted,
  readHeaders,
  replacementFault,
  reportAtReference,
  type Span,
  type Spans,
  splitTarget,
  type TargetTemplate,
  targetWords,
} from "../../compiler/plugin-api.js";
import type { ProxyRewrite } from "./schema.gen.js";
import type { ProxyRewriteData, UriRule } from "./view.js";
import { proxyRewriteView } from "./view.js";

type Settled = PluginSettings<ProxyRewrite>;

export const proxyRewrite: PluginDefinition<ProxyRewrite, ProxyRewriteData> = {
  name: "proxy-rewrite",
  priority: 1008,
  moduleUrl: import.meta.url,
  phases: ["rewrite"],
  headerActions: "headers",
  plan(settings, context) {
    const { value } = settings;
    const uri = planUri(settings, context);
    const rules = planRules(settings, context);
    const data: ProxyRewriteData = {
      uri,
      uriRules: uri === null ? rules.rules : [],
      raw: value.use_real_request_uri_unsafe,
      headers: planHeaders(settings, uri === null ? rules.captures : undefined, context),
      method: value.method ?? null,
      host: value.host ?? null,
    };
    return [{ phase: "rewrite", origin: context.origin([]), data }];
  },
  describe: ({ data }) => described(data),
  decisions: (step) =>
    step.data.uriRules.map(({ regex, origin }, i) => ({
      field: `regex_uri[${2 * i}]`,
      origin,
      text: regex.cost,
    })),
  pathPatterns: ({ data: { raw, uriRules } }) => (raw ? [] : uriRules),
  view: (step, printer) => proxyRewriteView(step.data, printer),
};

function described({ uri, uriRules, raw, headers, method, host }: ProxyRewriteData): string[] {
  const subject = raw ? "the target as received" : "the path";
  return [
    ...(uri === null ? [] : [`sets the path to ${targetWords(uri)}`]),
    ...uriRules.map(
      ({ regex, replacement }, i) =>
        `${i === 0 ? "replaces" : "else replaces"} what /${regex.pattern}/ matches in ${subject} by ${targetWords(replacement)}`,
    ),
    ...headerWords(headers, "request"),
    ...(method === null ? [] : [`sets the method to ${method}`]),
    ...(host === null ? [] : [`sets the Host header to ${quoted(host)}`]),
  ];
}

function planUri({ value, spans }: Settled, context: PlanContext): TargetTemplate | null {
  if (value.uri === undefined) return null;
  if (value.regex_uri !== undefined) {
    const notes = [{ message: "uri is set here", span: spans.key(["uri"]) }];
    context.report(diagnostic("GW4101", spans.key(["regex_uri"]), {}, { notes }));
  }
  const at = spans.value(["uri"]);
  const rules = { now: "request", place: "uri", captures: undefined } as const;
  const text = parseText(value.uri, rules, reportAtReference(value.uri, 0, at, context.report));
  for (const part of text) {
    if ("variable" in part && /^(real_)?request_uri$/.test(part.variable)) {
      context.report(diagnostic("GW4105", at, { name: part.variable }));
    }
  }
  return settled(value.uri, splitTarget(text), at, context);
}

/** Resolves the template's own dot segments. */
function settled(uri: string, template: TargetTemplate, at: Span, context: PlanContext): TargetTemplate {
  const path = normalizedTemplatePath(template.path);
  if (path instanceof PathFault) {
    context.report(diagnostic("GW4106", at, { uri, reason: path.reason }));
    return template;
  }
  const [before] = template.path;
  const [first] = path;
  if (first === undefined || !("literal" in first) || !before || !("literal" in before)) return template;
  if (first.literal !== before.literal) {
    const form = `${first.literal}${path.length > 1 ? "…" : ""}`;
    context.report(diagnostic("GW4107", at, { uri, form }));
  }
  return { ...template, path };
}

/** Highest capture that a rule uses: undefined without `regex_uri`. */
function planRules(
  { value: { regex_uri, use_real_request_uri_unsafe: raw }, spans }: Settled,
  context: PlanContext,
): { rules: UriRule[]; captures: number | undefined } {
  if (regex_uri === undefined) return { rules: [], captures: undefined };
  if (regex_uri.length % 2 === 1) context.report(diagnostic("GW4102", spans.value(["regex_uri"])));
  const rules: UriRule[] = [];
  let captures = 0;
  const covers = coversOf(
    regex_uri.filter((_, i) => i % 2 === 0 && i + 1 < regex_uri.length),
    !raw,
  );
  for (let i = 0; i + 1 < regex_uri.length; i += 2) {
    const [pattern = "", replacement = ""] = regex_uri.slice(i, i + 2);
    for (const finding of unreached(regex_uri, i, covers[i / 2], spans)) context.report(finding);
    const at = (index: number) => spans.value(["regex_uri", index]);
    const report = (finding: Diagnostic) => context.report(inPair(finding, pattern, replacement));
    const form = inEscapes(pattern);
    if (form !== undefined) context.report(diagnostic("GW4108", at(i), { pattern, form }));
    const subject = pathSubject(context.patterns);
    const input = { pattern, options: "", subject, budget: context.patterns.budget, span: at(i) };
    const planned = planRegex(input, report);
    if (planned === undefined) continue;
    captures = Math.max(captures, planned.groups);
    const parts = planReplacement(replacement, planned.groups, at(i + 1), report);
    if (parts === undefined) continue;
    const origin = context.origin(["regex_uri", i]);
    const template = splitTarget(parts);
    const fault = replacementFault(template.path);
    if (fault !== undefined)
      context.report(diagnostic("GW4106", at(i + 1), { uri: replacement, reason: fault.reason }));
    rules.push({ regex: planned.regex, replacement: template, origin });
  }
  return { rules, captures };
}

/** Wording of the reference (section 6.1). */
function inPair(finding: Diagnostic, pattern: string, replacement: string): Diagnostic {
  const reason = finding.message.replace(/^regex ".*" validation failed: /s, "");
  return { ...finding, errorMessage: `invalid regex_uri(${pattern}, ${replacement}): ${reason}` };
}

/** Warns about a pair whose paths all match earlier pairs. */
function unreached(pairs: readonly string[], at: number, cover: Cover, spans: Spans): Diagnostic[] {
  if (cover === undefined) return [];
  const [only = 0, ...others] = cover;
  const alone = others.length === 0;
  const before = alone ? `"${pairs[2 * only] ?? ""}" before it` : "one of the pairs before it";
  const message = alone ? "this pair matches first" : "this pair matches some of its paths first";
  const notes = cover.map((earlier) => ({ message, span: spans.value(["regex_uri", 2 * earlier]) }));
  const params = { pattern: pairs[at] ?? "", before };
  return [diagnostic("GW4103", spans.value(["regex_uri", at]), params, { notes })];
}

function planHeaders(settings: Settled, captures: number | undefined, context: PlanContext): HeaderAction[] {
  const { headers } = settings.value;
  if (headers === undefined) return [];
  const fields = readHeaders(headers);
  for (const action of ["add", "remove", "set"] as const) {
    fields[action] = fields[action].filter((field) => {
      if (field.name.toLowerCase() !== "host") return true;
      context.report(diagnostic("GW4104", settings.spans.key(field.path), { action }));
      return false;
    });
  }
  const scope = { now: "request", place: "a request header", captures } as const;
  return planHeaderActions(fields, { ...context, ...scope, spans: settings.spans });
}
