/** First characters of flattened texts; stored so that the optimizer does not remove the read. */
const seen = new Uint16Array(1);

/**
 * Returns the same text in one piece of memory: V8 keeps a concatenated text as a tree until a character is
 * read. The garbage collector copies the tree part by part; that was half of the 20 µs that syslog cost a
 * request.
 */
export function flattenRope(text: string): string {
  seen[0] = text.charCodeAt(0);
  return text;
}
