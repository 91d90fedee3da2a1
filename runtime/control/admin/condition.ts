/** Preconditions `If-Match` and `If-None-Match` of a write (RFC 9110 sections 13.1.1 and 13.1.2). */
export interface WriteCondition {
  /** Entity tags as sent, or "*". */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * Returns the reason to reject a write (412), or undefined if the preconditions hold.
 * @param index modified index, which is the entity tag; undefined if there is no such resource
 */
export function unmet(
  { ifMatch, ifNoneMatch }: WriteCondition,
  index: number | undefined,
): string | undefined {
  if (ifMatch !== undefined && !names(strongTags(ifMatch), index)) {
    return index === undefined ? "there is no resource to change" : "value changed before overwritten";
  }
  if (ifNoneMatch !== undefined && names(allTags(ifNoneMatch), index)) return "the resource already exists";
  return undefined;
}

const WEAK = /^W\//;

const tagsOf = (field: string): string[] => field.split(",").map((tag) => tag.trim());
/** Drops weak tags: none equals another in a strong comparison (RFC 9110 section 8.8.3.2). */
const strongTags = (field: string): string[] => tagsOf(field).filter((tag) => !WEAK.test(tag));
const allTags = (field: string): string[] => tagsOf(field).map((tag) => tag.replace(WEAK, ""));

/** Reports whether one of the entity tags names the current version; "*" names any existing one. */
function names(tags: readonly string[], index: number | undefined): boolean {
  if (index === undefined) return false;
  return tags.some((tag) => tag === "*" || tag.replace(/^"|"$/g, "") === String(index));
}
