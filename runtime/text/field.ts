/** Bytes that RFC 9110 section 5.5 bans from a field value. */
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;
const EACH_FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/g;

/** A header value in which nothing can end or break the line: control bytes are percent-encoded (CR as %0D), as OpenResty does. */
export function fieldText(value: string): string {
  if (!FORBIDDEN.test(value)) return value;
  return value.replace(
    EACH_FORBIDDEN,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
