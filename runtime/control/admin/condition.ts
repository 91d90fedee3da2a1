/** What `If-Match` and `If-None-Match` ask of a resource before a write (RFC 9110 sections 13.1.1 and 13.1.2). */
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
  if (ifMatch !== undefined && !names(ifMatch, index)) {
    return index === undefined ? "there is nothing to change" : "value changed before overwritten";
  }
  if (ifNoneMatch !== undefined && names(ifNoneMatch, index)) return "it exists already";
  return undefined;
}

/** Whether a list of entity tags names this state; "*" names whatever exists. */
function names(field: string, index: number | undefined): boolean {
  if (index === undefined) return false;
  if (field.trim() === "*") return true;
  return field
    .split(",")
    .some((tag) => tag.trim().replace(/^W\//, "").replace(/^"|"$/g, "") === String(index));
}
