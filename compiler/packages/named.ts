import { substitute } from "../1-parse/environment.js";
import { parseSource } from "../1-parse/parse.js";
import type { Environment } from "../model/input.js";
import type { NamedPackage } from "../model/package.js";
import type { SourceText } from "../model/source.js";

/** Keeps the order. Validation reports a value that is no list of texts. */
export function namedPackages(sources: readonly SourceText[], environment: Environment): NamedPackage[] {
  return sources.flatMap((source) => {
    const { folder } = source;
    if (folder === undefined || !mayName(source)) return [];
    const { document } = parseSource(source);
    if (document === undefined) return [];
    const list = (document.value as { plugins?: unknown } | null)?.plugins;
    if (!Array.isArray(list)) return [];
    const located = { value: list as unknown, spans: document.spans.below(["plugins"]) };
    const { value } = substitute(located, { environment, isSymbolic: () => false }).document;
    return (value as unknown[]).flatMap((name) =>
      typeof name === "string" && isPackageName(name) ? [{ name, folder }] : [],
    );
  });
}

/**
 * Quick test, since parsing 10,000 routes takes a second. A top-level key begins a line, unless braces
 * enclose all.
 */
function mayName({ text, format }: SourceText): boolean {
  if (!text.includes("plugins")) return false;
  if (format === "yaml") return /^["']?plugins\b/m.test(text) || /^[ \t]*([^\s#])/m.exec(text)?.[1] === "{";
  try {
    return Array.isArray((JSON.parse(text) as { plugins?: unknown } | null)?.plugins);
  } catch {
    return false;
  }
}

/** Accepts values of `plugins` in `schema/configuration.json`: npm packages, or folders relative to the file. */
export function isPackageName(name: string): boolean {
  return /^(?:\.{1,2}\/[^\s\\]+|(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)$/.test(name);
}

export const keyOf = ({ name, folder }: NamedPackage): string => `${folder}\0${name}`;
