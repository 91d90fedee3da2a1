/** Head of a module: comments and blank lines, then its imports. */
const HEAD = /^(?:(?:\/\/[^\n]*)?\n)*(?:import \{[^}"]*\} from "[^"\n]*";\n)*/;
const IMPORT = /^import (\{[^}"]*\}) from ("[^"\n]*");$/gm;
const EXPORT = "\nexport default ";

/**
 * The form of a module that the runtime loads, of its TypeScript: it differs in the lines of imports and of the export alone, and has
 * the same lines. A text of another form becomes one of another hash than that which was compiled.
 */
export function loadableOf(typescript: string): string {
  const head = HEAD.exec(typescript)?.[0] ?? "";
  const required = head.replace(IMPORT, "const $1 = require($2);");
  // Nothing after it stands at the beginning of a line but its end; what stands before it may hold any text.
  const at = typescript.lastIndexOf(EXPORT);
  if (at < 0 || at < head.length - 1) return required + typescript.slice(head.length);
  return `${required}${typescript.slice(head.length, at + 1)}module.exports = ${typescript.slice(at + EXPORT.length)}`;
}
