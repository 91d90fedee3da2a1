import type {
  ConfigPath,
  HeaderAction,
  PluginPrinter,
  Regex,
  TargetTemplate,
} from "../../compiler/plugin-api.js";

const UNSAFE = ["use_real_request_uri_unsafe"];

export function proxyRewriteView(data: ProxyRewriteData, printer: PluginPrinter): Record<string, unknown> {
  const { uri, uriRules, raw } = data;
  const { code, from, literal } = printer;
  return {
    host: data.host === null ? null : from(["host"], literal(data.host)),
    raw: raw ? from(UNSAFE, literal(true)) : null,
    received: raw && uri === null ? from(UNSAFE, code`x.requestUri`) : null,
    target: uri === null ? null : from(["uri"], joined(printer, printer.target(uri, raw))),
    rules: uriRules.map((rule, i) => ruleView(rule, i, data, printer)),
    headers: printer.headers(data.headers, code`x.upstream`, "prepend"),
    method: data.method === null ? null : from(["method"], literal(data.method)),
  };
}

function joined(printer: PluginPrinter, target: ReturnType<PluginPrinter["target"]>) {
  return printer.call(printer.imported("joinQuery"), [target, printer.code`x.args`]);
}

/** The first pair declares `found`, each other one is an `else if`. */
function ruleView(rule: UriRule, index: number, { raw, uriRules }: ProxyRewriteData, printer: PluginPrinter) {
  const found = printer.code`found`;
  const replacement = printer.target(rule.replacement, raw);
  return {
    first: index === 0,
    last: index === uriRules.length - 1,
    several: uriRules.length > 1,
    pattern: printer.from(rule.origin, printer.regex("uriPattern", rule.regex, rule.origin)),
    subject: raw ? printer.code`x.requestUri` : printer.code`x.uri`,
    target: printer.from(
      rule.origin,
      raw
        ? printer.call(printer.imported("replaceInTarget"), [found, replacement])
        : printer.call(printer.imported("replaceInPath"), [found, replacement, printer.code`x.args`]),
    ),
  };
}

/** The first pair whose pattern matches the normalized path replaces the matched part. */
export interface UriRule {
  regex: Regex;
  replacement: TargetTemplate;
  origin: ConfigPath;
}

/** Order of effect: target, headers, method, host. */
export interface ProxyRewriteData {
  /** Replaces the path and starts the query; the client's query is appended. */
  uri: TargetTemplate | null;
  /** Empty if `uri` is set, which takes precedence. */
  uriRules: UriRule[];
  /** `use_real_request_uri_unsafe`: rules match and replace the target as received, and its spelling is kept. */
  raw: boolean;
  headers: HeaderAction[];
  method: string | null;
  host: string | null;
}
