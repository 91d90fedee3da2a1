/** Comments; texts, regular expressions and numbers in the forms in which the emitter prints them. */
const DETAIL =
  /\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(=] )\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|\b\d+(?:\.\d+)?\b/g;

/** Fields whose values are types of their own. */
const TYPED =
  /\b(?:oversize|sockType|framing|delivery|ack|onFull|metaFormat|mechanism|producerType|requiredAcks|compression): -?$/;

/**
 * A module with its constants taken out. Types and layout do not depend on which texts, patterns and numbers a module
 * holds, so of 10,000 modules the type check needs to see one of each shape. Texts that are types (`oversize: "pass"`, `requiredAcks: 1`)
 * come from the emitter's fixed words and stay.
 */
export function skeletonOf(typescript: string): string {
  return typescript.replace(DETAIL, (detail, offset: number) => {
    if (detail.startsWith("//")) return "//";
    if (detail.startsWith("/")) return "/r/";
    if (TYPED.test(typescript.slice(Math.max(0, offset - 20), offset)) || detail.startsWith('"gwc/'))
      return detail;
    return /^\d/.test(detail) ? "0" : '"t"';
  });
}
