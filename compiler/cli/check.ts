import type { Format } from "../diagnostics/render.js";
import { compilePaths, hasErrors, printFindings } from "./input.js";
import { chosenPaths } from "./paths.js";

/** `gwc check`: every finding; exit 1 on errors, with `strict` on warnings too. */
export async function check(paths: string[], options: { format: Format; strict?: boolean }): Promise<number> {
  const chosen = chosenPaths(paths);
  if (chosen === undefined) return 2;
  const compiled = compilePaths(chosen);
  const { diagnostics, result } = compiled;
  printFindings(options.format, compiled, result?.masks ?? []);
  if (options.format === "text" && diagnostics.length === 0 && process.stderr.isTTY) {
    process.stderr.write(`${result?.plan?.routes.length ?? 0} routes, nothing to report\n`);
  }
  return hasErrors(diagnostics) || (options.strict === true && diagnostics.length > 0) ? 1 : 0;
}
