import { DiagnosticCollector } from "../compiler/diagnostics/collector.js";
import { nearest } from "../compiler/diagnostics/nearest.js";
import { planOf } from "../compiler/model/plan.js";
import { locationsOf } from "../compiler/model/source-locations.js";
import { prose, proseText } from "../compiler/prose/prose.js";
import type { Format } from "../compiler/report/render.js";
import { namesOfResources, secretValues } from "../compiler/secrets/secret-values.js";
import { visible } from "../runtime/abi/text/unseen.js";
import { failed } from "./complain.js";
import { compilePaths, hasErrors } from "./input.js";
import { chosenPaths } from "./paths.js";
import { printDiagnostics } from "./print-diagnostics.js";
import { shownPlan } from "./shown-plan.js";

interface ExplainOptions {
  config?: string[];
  format: Format;
}

/**
 * `gwc explain-route`: exit 0 if the route exists, 1 if it does not or the configuration has errors. Parts of
 * the route that have no description are reported on standard error.
 */
export async function explainRoute(id: string, paths: string[], options: ExplainOptions): Promise<number> {
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  const compiled = await compilePaths(chosen);
  const { plan } = compiled.result ?? {};
  if (plan === undefined || hasErrors(compiled.diagnostics)) {
    printDiagnostics("text", compiled);
    return 1;
  }
  const { globalRules, routes } = plan;
  const asked = planOf({ globalRules, routes: routes.filter(({ row }) => row.id === id) });
  const places = locationsOf(compiled.result?.resources ?? []);
  const texts = compiled.sources.map(({ text }) => text);
  const { resources = [], deployment } = compiled.result ?? {};
  const secrets = secretValues(resources, deployment, texts, process.env);
  const shown = shownPlan(asked, secrets, namesOfResources(resources));
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
  const json = () => `${JSON.stringify({ ...told.route, origin }, null, 2)}\n`;
  process.stdout.write(visible(options.format === "json" ? json() : proseText(told.route, origin)));
  const findings = new DiagnosticCollector();
  findings.addAll(prose.lacks(asked, places));
  printDiagnostics("text", { ...compiled, diagnostics: findings.sorted() });
  return 0;
}
