/** Comments and blank lines, then imports. */
const HEAD = /^(?:(?:\/\/[^\n]*)?\n)*(?:import \{[^}"]*\} from "[^"\n]*";\n)*/;
const IMPORT = /^import (\{[^}"]*\}) from ("[^"\n]*");$/gm;
const EXPORT = "\nexport default ";

/**
 * Converts TypeScript to the form that the runtime loads. Only lines of imports and of the export differ, and
 * the number of lines is the same. A text of another form becomes one with another hash than the compiled
 * module.
 */
export function loadableOf(typescript: string): string {
  const head = HEAD.exec(typescript)?.[0] ?? "";
  const required = head.replace(IMPORT, "const $1 = require($2);");
  // After the export only its end begins a line; the text in front of it may contain anything.
  const at = typescript.lastIndexOf(EXPORT);
  if (at < 0 || at < head.length - 1) return required + typescript.slice(head.length);
  return `${required}${typescript.slice(head.length, at + 1)}module.exports = ${typescript.slice(at + EXPORT.length)}`;
}
