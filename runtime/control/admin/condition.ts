/** Condition of `If-Match` and `If-None-Match` on a resource before a write (RFC 9110 sections 13.1.1 and 13.1.2). */
export interface WriteCondition {
  /** Entity tags as written, or "*". */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Why a write is not done (412), or undefined.
 * @param index modified index of the resource, whose entity tag it is; undefined: there is none
 */
export function unmet(
  { ifMatch, ifNoneMatch }: WriteCondition,
  index: number | undefined,
): string | undefined {
  if (ifMatch !== undefined && !names(strongTags(ifMatch), index)) {
    return index === undefined ? "there is nothing to change" : "value changed before overwritten";
  }
  if (ifNoneMatch !== undefined && names(allTags(ifNoneMatch), index)) return "it exists already";
  return undefined;
}

const WEAK = /^W\//;

const tagsOf = (field: string): string[] => field.split(",").map((tag) => tag.trim());
/** A weak tag equals none where tags are compared strongly (RFC 9110 section 8.8.3.2). */
const strongTags = (field: string): string[] => tagsOf(field).filter((tag) => !WEAK.test(tag));
const allTags = (field: string): string[] => tagsOf(field).map((tag) => tag.replace(WEAK, ""));

/** Reports whether one of these entity tags names this state; "*" names whatever exists. */
function names(tags: readonly string[], index: number | undefined): boolean {
  if (index === undefined) return false;
  return tags.some((tag) => tag === "*" || tag.replace(/^"|"$/g, "") === String(index));
}
