import { nearest } from "../compiler/diagnostics/nearest.js";
import type { Format } from "../compiler/diagnostics/render.js";
import { type DescribedRoute, describeRoute } from "../compiler/prose/route.js";
import { compilePaths, hasErrors, printFindings } from "./input.js";
import { chosenPaths } from "./paths.js";

interface ExplainOptions {
  config?: string[];
  format: Format;
}

/** `gwc explain-route`: exit 0 when there is such a route, 1 when there is none (or the configuration has errors). */
export async function explainRoute(id: string, options: ExplainOptions): Promise<number> {
  const chosen = chosenPaths(options.config ?? []);
  if (chosen === undefined) return 2;
  const compiled = await compilePaths(chosen);
  const plan = compiled.result?.plan;
  if (plan === undefined || hasErrors(compiled.diagnostics)) {
    printFindings("text", compiled, compiled.result?.masks ?? []);
    return 1;
  }
  const described = describeRoute(plan, id);
  if (described === undefined) {
    const near = nearest(
      id,
      plan.routes.map(({ row }) => row.id),
    );
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    process.stderr.write(`gwc: there is no route "${id}"${hint}\n`);
    return 1;
  }
  const text = options.format === "json" ? `${JSON.stringify(described, null, 2)}\n` : asText(described);
  process.stdout.write(text);
  return 0;
}

function asText({ id, origin, takes, phases }: DescribedRoute): string {
  const parts = phases.map(({ when, sentences }) =>
    [`${when}:`, ...sentences.map((sentence) => `  - ${sentence}`)].join("\n"),
  );
  const nothing = phases.length === 0 ? ["No plugin changes what passes."] : [];
  return `${[`Route "${id}" (${origin})\n${takes.join("\n")}`, ...nothing, ...parts].join("\n\n")}\n`;
}
