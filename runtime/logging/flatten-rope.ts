/** First characters of flattened texts; stored so that the optimizer does not remove the read. */
const seen = new Uint16Array(1);

/**
 * Returns the same text in one piece of memory. V8 keeps a concatenated text as a tree of its parts until a
 * character is read, which flattens it. A batch keeps a thousand records for seconds, and the garbage
 * collector copies such a tree part by part. That was half of the 20 µs that syslog cost a request.
 */
export function flattenRope(text: string): string {
  seen[0] = text.charCodeAt(0);
  return text;
}
