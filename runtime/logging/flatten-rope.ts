/** The first characters of texts that were made flat; kept so that the optimizer does not take the reading for useless. */
const seen = new Uint16Array(1);

/**
 * The same text in one piece of memory. A text that was put together is a tree of its parts until somebody reads it. A
 * batch keeps a thousand records for seconds, and the garbage collector copies what it keeps, part by part: that was half of
 * the 20 µs that syslog cost a request. Reading a character makes V8 replace the tree by a flat text.
 */
export function flattenRope(text: string): string {
  seen[0] = text.charCodeAt(0);
  return text;
}
