import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Spanned } from "../model/source.js";
import { isPackageName } from "./named.js";
import { packageOutcome } from "./outcomes.js";
import { PackageError } from "./package-error.js";

interface ReadFile {
  document: Spanned;
  /** Undefined if the source is no file. */
  folder: string | undefined;
}

export function packageDiagnostics(files: readonly ReadFile[]): Diagnostic[] {
  const first = new Map<string, Span>();
  return files.flatMap(({ document: { value, spans }, folder }) => {
    const names = (value as { plugins?: unknown } | null)?.plugins;
    if (!Array.isArray(names)) return [];
    return names.flatMap((name: unknown, i) => {
      const span = spans.value(["plugins", i]);
      if (typeof name !== "string" || !isPackageName(name)) return [];
      return findingOf(name, folder, span, first);
    });
  });
}

function findingOf(
  name: string,
  folder: string | undefined,
  span: Span,
  first: Map<string, Span>,
): Diagnostic[] {
  const outcome = folder === undefined ? undefined : packageOutcome({ name, folder });
  const identity =
    outcome === undefined || outcome instanceof PackageError ? `${folder}\0${name}` : outcome.root;
  const earlier = first.get(identity);
  if (earlier !== undefined) {
    const notes = [{ message: "it is also listed here", span: earlier }];
    return [diagnostic("GW7006", span, { package: name }, { notes })];
  }
  first.set(identity, span);
  if (outcome === undefined)
    return [diagnostic("GW7011", span, { what: `"${name}" was not listed when the gateway started` })];
  if (!(outcome instanceof PackageError)) return [];
  const { code, params, help } = outcome;
  return [diagnostic(code, span, params, help === undefined ? {} : { help })];
}
