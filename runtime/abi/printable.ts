/**
 * A text from a gateway as a terminal may have it: what could move the cursor or name a window (C0, C1, escapes) and what turns the
 * direction of reading (U+202A and its like) is one "?" each, and it ends after `most` characters.
 */
export function printable(text: string, most = 200): string {
  const plain = text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    "?",
  );
  const characters = Array.from(plain);
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join("")}…`;
}
