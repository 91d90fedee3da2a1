import { otherReadings, PathFault, type PathRules, patternForm } from "../../runtime/abi/path.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Report } from "../model/diagnostic.js";
import { covers } from "../model/path-patterns.js";
import type { ResolveContext } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import type { Inventory } from "./inventory.js";
import { checkLoops } from "./loops.js";
import { routeUris } from "./match-fields.js";
import { checkOverriddenPlugins } from "./overridden-plugins.js";
import type { RouteValue } from "./values.js";

const ESCAPED_SLASH = /%2F|%5C/;

/** Reports paths that no request has because of `gw.path`, in part or whole. */
function checkPathReadings(
  routes: Iterable<Resource<RouteValue>>,
  { pathRules }: Pick<ResolveContext, "pathRules">,
  report: Report,
): void {
  if (pathRules === undefined) return;
  for (const { value, spans } of routes) {
    const written = value.uri === undefined ? (value.uris ?? []) : [value.uri];
    if (!written.some((uri) => /\/\/|%2f|%5c|\\/i.test(uri))) continue;
    const uris = routeUris({ value, spans }, () => {});
    for (const [index, uri] of written.entries()) {
      // The comparison of paths reports that no request has it.
      if (patternForm(uri) instanceof PathFault) continue;
      const at: Path = value.uri === undefined ? ["uris", index] : ["uri"];
      const finding = judged(uri, uris[index] ?? uri, uris, pathRules);
      if (finding) report(diagnostic(finding.code, spans.value(at), finding.params));
    }
  }
}

function judged(
  uri: string,
  form: string,
  all: readonly string[],
  rules: PathRules,
): { code: string; params: Record<string, string> } | undefined {
  const never = (reason: string) => ({ code: "GW3044", params: { uri, reason } });
  if (rules.mergeSlashes && form.includes("//"))
    return never("repeated slashes are merged (gw.path.merge_slashes)");
  if (rules.escapedSlashes === "refuse" && ESCAPED_SLASH.test(form))
    return never("escaped slashes are rejected with 400 (gw.path.escaped_slashes)");
  if (rules.escapedSlashes === "decode" && form.includes("%2F"))
    return never("an escaped slash becomes a slash (gw.path.escaped_slashes)");
  const reading = otherReadings(form, rules).find((other) => !all.some((own) => covers(own, other)));
  return reading === undefined ? undefined : { code: "GW3033", params: { uri, reading } };
}

/** Warns about routes in combination with their resources and the deployment. None affects a plan. */
export function checkCombinations(
  routes: Iterable<Resource>,
  inventory: Inventory,
  context: ResolveContext,
  report: Report,
): void {
  const judged = [...routes].filter(({ from }) => from !== "build") as Resource<RouteValue>[];
  checkLoops(judged, inventory, context, report);
  checkPathReadings(judged, context, report);
  checkOverriddenPlugins(judged, inventory, context, report);
}
