/** Bytes that RFC 9110 section 5.5 bans from a field value. */
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;
const BLANKS_AROUND = /^[ \t]|[ \t]$/;
const EACH_BLANK_AROUND = /^[ \t]+|[ \t]+$/g;
const EACH_FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/g;

/**
 * A header value in which nothing can end or break the line: control bytes are percent-encoded (CR as %0D), as OpenResty
 * does, and blanks around it go, which no receiver would see.
 */
export function fieldText(value: string): string {
  const inner = BLANKS_AROUND.test(value) ? value.replace(EACH_BLANK_AROUND, "") : value;
  if (!FORBIDDEN.test(inner)) return inner;
  return inner.replace(EACH_FORBIDDEN, percentEncode);
}

function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
