import { DiagnosticCollector } from "../compiler/diagnostics/collector.js";
import { nearest } from "../compiler/diagnostics/nearest.js";
import { planOf } from "../compiler/model/plan.js";
import { locationsOf } from "../compiler/model/source-locations.js";
import { prose, proseText } from "../compiler/prose/prose.js";
import type { Format } from "../compiler/report/render.js";
import { visible } from "../runtime/abi/text/unseen.js";
import { planPaths, printDiagnostics } from "./input.js";
import { failed, printJson } from "./output.js";
import { shownPlan } from "./plan.js";

interface ExplainOptions {
  config?: string[];
  format: Format;
}

/**
 * `gwc explain-route`: exit 0 if the route exists, 1 if it does not or the configuration has errors. Parts of
 * the route that have no description are reported on standard error.
 */
export async function explainRoute(id: string, paths: string[], options: ExplainOptions): Promise<number> {
  const compiled = await planPaths(paths, options.config);
  if (typeof compiled === "number") return compiled;
  const { globalRules, routes } = compiled.result.plan;
  const asked = planOf({ globalRules, routes: routes.filter(({ row }) => row.id === id) });
  const places = locationsOf(compiled.result.resources);
  const shown = shownPlan(asked, compiled);
  const [file] = prose.emit(asked);
  const [told] = prose.emit(shown);
  if (file === undefined || told === undefined) {
    const near = nearest(
      id,
      routes.map(({ row }) => row.id),
    );
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    return failed(`there is no route "${id}"${hint}`, 1);
  }
  const origin = places.text(file.route.origin);
  if (options.format === "json") printJson({ ...told.route, origin });
  else process.stdout.write(visible(proseText(told.route, origin)));
  const findings = new DiagnosticCollector();
  findings.addAll(prose.lacks(asked, places));
  printDiagnostics("text", { ...compiled, diagnostics: findings.sorted() });
  return 0;
}
