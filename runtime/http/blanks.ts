/** The blanks that may stand around a field value: SP and HTAB (RFC 9110 section 5.6.3). */
export const isBlank = (code: number): boolean => code === 32 || code === 9;

/**
 * A byte string without the field's own blanks around it. `String.trim` and `\s` would also take 0xA0, which is a no-break space to
 * JavaScript and the last byte of "à" on the wire.
 */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

/** Value of a received line, without the blanks around it. */
export function fieldValue(text: string, colon: number, end: number): string {
  let from = colon + 1;
  let to = end - 2;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Bytes that never leave in a value (RFC 9110 section 5.5); a variable may bring them, so they become their escapes. */
const FORBIDDEN = /[\0-\x08\n-\x1f\x7f]/g;
const escapeByte = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** Most values are short, and a call of the pattern costs more than they have bytes. */
function hasForbidden(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < 32 && code !== 9) || code === 127) return true;
  }
  return false;
}

/** A field value as it may stand on the wire: no controls, no blanks around it. */
export function wireValue(value: string): string {
  return trimBlanks(hasForbidden(value) ? value.replace(FORBIDDEN, escapeByte) : value);
}
