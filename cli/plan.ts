import { canonicalPlan } from "../compiler/4-plan/fingerprint.js";
import type { Format } from "../compiler/report/render.js";
import { namesOfResources, secretValues } from "../compiler/secrets/secret-values.js";
import { failed, printJson } from "./complain.js";
import { compilePaths, hasErrors } from "./input.js";
import { chosenPaths } from "./paths.js";
import { printDiagnostics } from "./print-diagnostics.js";
import { shownPlan } from "./shown-plan.js";

/** `gwc plan`: prints the canonical plan, indented, or one route of it, without secrets. */
export async function plan(
  paths: string[],
  options: { format: Format; config?: string[]; route?: string },
): Promise<number> {
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  const compiled = await compilePaths(chosen);
  const found = compiled.result?.plan;
  if (found === undefined || hasErrors(compiled.diagnostics)) {
    printDiagnostics(options.format, compiled);
    return 1;
  }
  const whole = JSON.parse(canonicalPlan(found)) as { routes: { row: { id: string } }[] };
  const shown =
    options.route === undefined ? whole : whole.routes.find(({ row }) => row.id === options.route);
  if (shown === undefined) return failed(`there is no route "${options.route}"`, 1);
  const texts = compiled.sources.map(({ text }) => text);
  const { resources = [], deployment } = compiled.result ?? {};
  const secrets = secretValues(resources, deployment, texts, process.env);
  printJson(shownPlan(shown, secrets, namesOfResources(resources)));
  return 0;
}
