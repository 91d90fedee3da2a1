import { substitute } from "../parse/environment.js";
import { parseSource } from "../parse/parse.js";
import type { SourceText } from "../parse/source.js";

/** A package as a configuration file names it. */
export interface NamedPackage {
  /** "gwc-plugin-hello" or "./plugins/audit". */
  name: string;
  /** Absolute folder of the file that names it. */
  folder: string;
}

/** Packages that the files name, in order; what is no list of texts is left to validation. */
export function namedPackages(
  sources: readonly SourceText[],
  environment: Readonly<Record<string, string | undefined>>,
): NamedPackage[] {
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

/** Whether it is worth parsing: 10,000 routes take a second. A top-level key of YAML begins a line, unless all is in braces. */
function mayName({ text, format }: SourceText): boolean {
  if (!text.includes("plugins")) return false;
  if (format === "yaml") return /^["']?plugins\b/m.test(text) || /^[ \t]*([^\s#])/m.exec(text)?.[1] === "{";
  try {
    return Array.isArray((JSON.parse(text) as { plugins?: unknown } | null)?.plugins);
  } catch {
    return false;
  }
}

/** As `plugins` of `schema/configuration.json` takes it: a name of npm's, or a folder relative to the file. */
export function isPackageName(name: string): boolean {
  return /^(?:\.{1,2}\/[^\s\\]+|(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)$/.test(name);
}

/** Names a package among all of a process. */
export const keyOf = ({ name, folder }: NamedPackage): string => `${folder}\0${name}`;
