import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Files below a folder of the repository, as paths relative to its root, with "/" and in order. */
export function filesBelow(folder: string, extension: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"))
    .sort();
}

export const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const parsed = new Map<string, ts.SourceFile>();

export function syntaxTree(path: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known) return known;
  const tree = ts.createSourceFile(path, read(path), ts.ScriptTarget.ES2023, true);
  parsed.set(path, tree);
  return tree;
}

export interface Import {
  from: string;
  /** Path relative to the root for files of the repository; the specifier for packages. */
  to: string;
  own: boolean;
  typeOnly: boolean;
  /** An `import("…")` call. */
  lazy: boolean;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  return (
    !clause.name &&
    !!named &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((e) => e.isTypeOnly)
  );
}

function resolved(from: string, specifier: string, typeOnly: boolean, lazy = false): Import {
  if (!specifier.startsWith(".")) return { from, to: specifier, own: false, typeOnly, lazy };
  const path = join(dirname(from), specifier).replace(/\.js$/, ".ts");
  return { from, to: path, own: true, typeOnly, lazy };
}

/** Files of the repository that imports reach from `starts`, each with its first importer, "" for a start. */
export function reachedFrom(
  starts: readonly string[],
  next: (path: string) => readonly Import[],
): Map<string, string> {
  const reached = new Map<string, string>();
  const visit = (path: string, from: string): void => {
    if (reached.has(path)) return;
    reached.set(path, from);
    for (const { to, own } of next(path)) if (own) visit(to, path);
  };
  for (const path of starts) visit(path, "");
  return reached;
}

const imported = new Map<string, Import[]>();

/** Static imports, re-exports and `import("…")` calls of one file. */
export function importsOf(path: string): Import[] {
  const known = imported.get(path);
  if (known) return known;
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      found.push(resolved(path, (node.moduleSpecifier as ts.StringLiteral).text, isTypeOnly(node)));
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) found.push(resolved(path, specifier.text, false, true));
    }
    ts.forEachChild(node, visit);
  };
  visit(syntaxTree(path));
  imported.set(path, found);
  return found;
}
