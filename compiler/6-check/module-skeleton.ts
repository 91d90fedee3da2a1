/** Comments; texts, regular expressions and numbers in the forms that the emitter prints. */
const DETAIL =
  /\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(=] )\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|\b\d+(?:\.\d+)?\b/g;

/** Fields whose literal values are types. */
const TYPED =
  /\b(?:oversize|sockType|framing|delivery|ack|onFull|metaFormat|mechanism|producerType|requiredAcks|compression): -?$/;

/**
 * Skeleton of a module: its code without constants. Types and layout do not depend on texts, patterns and
 * numbers, so the type check reads one of 10,000 modules for each skeleton. Texts that are types (`oversize:
 * "pass"`, `requiredAcks: 1`) are fixed words of the emitter and remain.
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
