import "../plugins/index.js";
import type { Diagnostic, Span } from "../compiler/diagnostics/diagnostic.js";
import { type Format, render } from "../compiler/diagnostics/render.js";
import { countText } from "../compiler/diagnostics/text.js";
import { type CompileResult, compile } from "../compiler/index.js";
import { loadPackages } from "../compiler/packages/load.js";
import { namedPackages } from "../compiler/packages/named.js";
import { readSources } from "../compiler/parse/files.js";
import type { SourceText } from "../compiler/parse/source.js";

export interface Compiled {
  sources: SourceText[];
  diagnostics: Diagnostic[];
  /** Undefined when a file could not be read. */
  result: CompileResult | undefined;
}

/** Reads files, loads the packages that they name, and compiles; every finding of files and steps together. */
export async function compilePaths(paths: readonly string[]): Promise<Compiled> {
  const { sources, diagnostics } = readSources(paths);
  await loadPackages(namedPackages(sources, process.env));
  if (diagnostics.some(({ severity }) => severity === "error"))
    return { sources, diagnostics, result: undefined };
  const result = compile({ sources, environment: process.env, now: Math.floor(Date.now() / 1000) });
  return { sources, diagnostics: [...diagnostics, ...result.diagnostics], result };
}

/**
 * Prints findings: machine formats on standard output, text on standard error, where it does not mix with a command's
 * own output. Machine formats are printed even when there is nothing to say, so that a pipe always gets a document.
 */
export function printFindings(
  format: Format,
  compiled: Pick<Compiled, "sources" | "diagnostics">,
  masks: readonly Span[],
): void {
  const { sources, diagnostics } = compiled;
  const color = process.stderr.isTTY === true && process.env["NO_COLOR"] === undefined;
  const text = render(format, diagnostics, { sources, masks, color });
  if (format !== "text") process.stdout.write(text);
  else if (diagnostics.length > 0) process.stderr.write(`${text}${countText(diagnostics)}\n`);
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === "error");
