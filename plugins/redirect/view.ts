import type {
  Code,
  ConfigPath,
  JoinedPart,
  PluginPrinter,
  Regex,
  TextPart,
} from "../../compiler/plugin-api.js";
import type { LocationTemplate } from "./location.js";

export type RedirectData =
  | { kind: "https"; port: number }
  | {
      kind: "location";
      status: number;
      to: LocationTemplate;
      /** Only for paths that match; replaces the match. */
      pattern: { regex: Regex; origin: ConfigPath } | null;
    };

export function redirectView(data: RedirectData, printer: PluginPrinter): Record<string, unknown> {
  const { code, imported, literal, call, from } = printer;
  const x = code`x`;
  const none = { toHttps: null, pattern: null, replaced: null, always: false, answer: null };
  if (data.kind === "https") {
    const toHttps = call(imported("toHttps"), [x, literal(data.port)]);
    return { ...none, toHttps: from(["http_to_https"], toHttps) };
  }
  const { status, to, pattern } = data;
  const setting = pattern === null ? ["uri"] : ["regex_uri", 1];
  const answer = (location: Code) =>
    from(
      setting,
      call(imported("redirect"), [
        x,
        from(setting, from(["ret_code"], literal(status))),
        from(setting, location),
      ]),
    );
  if (pattern === null) {
    const isSafe = isOnThisHost(to);
    const location =
      isSafe && !to.query
        ? printer.joined([...templateParts(to, printer), ...fragmentParts(to, printer)])
        : whole(to, templateCode(to, printer), isSafe, printer);
    return { ...none, always: true, answer: answer(location) };
  }
  const replace = imported(to.origin === null ? "replacedInPath" : "replacedToEnd");
  return {
    ...none,
    pattern: from(pattern.origin, printer.regex("uriPattern", pattern.regex, pattern.origin)),
    replaced: from(setting, call(replace, [code`found`, templateCode(to, printer)])),
    answer: answer(whole(to, code`target`, to.origin !== null, printer)),
  };
}

function templateCode(to: LocationTemplate, printer: PluginPrinter): Code {
  return printer.joined(templateParts(to, printer));
}

/** Excludes the query of the request and the fragment, which follow the template. */
function templateParts(
  { origin, target: { path, query } }: LocationTemplate,
  printer: PluginPrinter,
): JoinedPart[] {
  return [
    ...(origin ?? []).map((part) => ofHost(part, printer)),
    ...path.map((part, i) => ofPath(part, origin !== null && i === 0, printer)),
    ...(query === null ? [] : [{ part: { literal: "?" } }]),
    ...(query ?? []).map((part) => ofQuery(part, printer)),
  ];
}

/** Fragment with its "#"; empty without one. */
function fragmentParts({ fragment }: LocationTemplate, printer: PluginPrinter): JoinedPart[] {
  if (fragment === null) return [];
  return [{ part: { literal: "#" } }, ...fragment.map((part) => ofQuery(part, printer))];
}

/** Adds the query of the request, keeps the path on its host, and appends the fragment. */
function whole(to: LocationTemplate, base: Code, safe: boolean, printer: PluginPrinter): Code {
  const { code, from, imported } = printer;
  const made = (part: Code) => from(["regex_uri", 1], from(["uri"], part));
  const args = made(from(["append_query_string"], code`x.args`));
  const queried = to.query ? code`${imported("joinQuery")}(${base}, ${args})` : base;
  const placed = safe ? queried : code`${imported("onThisHost")}(${queried})`;
  if (to.fragment === null) return placed;
  return code`${placed} + ${made(printer.joined(fragmentParts(to, printer)))}`;
}

/** Needs no runtime check of the host: the template names one, or begins with a path. */
function isOnThisHost({ origin, target }: LocationTemplate): boolean {
  const [first] = target.path;
  return origin !== null || (first !== undefined && "literal" in first && /^\/[^/]/.test(first.literal));
}

function ofHost(part: TextPart, { imported, code }: PluginPrinter): JoinedPart {
  if ("literal" in part || ("variable" in part && part.variable === "scheme")) return { part };
  if ("variable" in part && /^host(?:name)?$/.test(part.variable))
    return { part, convert: imported("hostOf"), value: code`x` };
  return { part, convert: imported("authorityText") };
}

/** `$uri` and captures are already encoded. */
const isOfPath = (part: TextPart) =>
  "capture" in part || ("variable" in part && /^(?:uri|uri_param_.*)$/.test(part.variable));

function ofPath(part: TextPart, behindHost: boolean, { imported }: PluginPrinter): JoinedPart {
  if ("literal" in part) return { part };
  if (behindHost) return { part, convert: imported("rootedText") };
  const encoded = isOfPath(part) || ("variable" in part && /^(?:args|query_string)$/.test(part.variable));
  return { part, convert: imported(encoded ? "escapedPathText" : "pathText") };
}

/** `$args` is a query; every other variable is one value in it, also `$request_uri`. */
function ofQuery(part: TextPart, { imported }: PluginPrinter): JoinedPart {
  if ("literal" in part) return { part };
  if ("variable" in part && /^(?:args|query_string)$/.test(part.variable))
    return { part, convert: imported("rawText") };
  return { part, convert: imported(isOfPath(part) ? "escapedQueryText" : "queryText") };
}
