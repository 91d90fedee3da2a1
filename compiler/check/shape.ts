/** Comments; texts, regular expressions and numbers in the forms in which the emitter prints them. */
const DETAIL =
  /\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(=] )\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|\b\d+(?:\.\d+)?\b/g;

/**
 * A module with its constants taken out. Types and layout do not depend on which texts, patterns and numbers a module
 * holds, so of 10,000 modules the type check needs to see one of each shape. Texts that are types (`oversize: "pass"`)
 * come from the emitter's fixed words and stay.
 */
export function shapeOf(typescript: string): string {
  return typescript.replace(DETAIL, (detail, offset: number) => {
    if (detail.startsWith("//")) return "//";
    if (detail.startsWith("/")) return "/r/";
    if (/^\d/.test(detail)) return "0";
    return typescript.slice(offset - 10, offset) === "oversize: " || detail === '"gwc/runtime"'
      ? detail
      : '"t"';
  });
}
