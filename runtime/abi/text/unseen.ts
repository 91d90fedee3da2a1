/**
 * Characters that a terminal or a reader of a log obeys in place of showing: DEL, C1 controls (U+009B is ESC [), marks that turn the
 * direction of reading (U+202E and its like), separators of lines and paragraphs, and what has no width.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** JSON, or a text that is one beside it, with each of them as \uXXXX. C0 controls are escaped in JSON already. */
export const withoutUnseen = (text: string): string =>
  text.replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
