/**
 * Characters that a terminal or a reader of a log obeys in place of showing: DEL, C1 controls (U+009B is ESC [), marks that turn the
 * direction of reading (U+202E and its like), separators of lines and paragraphs, and what has no width.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
/** C0 controls but for the tab and the end of a line. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/g;

const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON, or a text that is one beside it, with each of them as \uXXXX. C0 controls are escaped in JSON already. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, escaped);

/** A text that is no JSON: with C0 controls as \uXXXX too, but for the tab and the end of a line. */
export const visible = (text: string): string => withoutUnseen(text.replace(CONTROLS, escaped));

/** The same on one line: ends of lines are blanks. */
export const visibleLine = (text: string): string => visible(text.replace(/[\r\n]+/g, " "));

const replacing = (text: string, by: string) => text.replace(CONTROLS, by).replace(UNSEEN, by);

/** The same with one U+FFFD for each, so that columns stay what they are. */
export const replacingUnseen = (text: string): string => replacing(text, "\ufffd");

/** A text from a gateway for a line of a terminal: one "?" for each, for tabs and for ends of lines, and at most `most` characters. */
export function printable(text: string, most = 200): string {
  const plain = replacing(text.replace(/[\t\n]/g, "?"), "?");
  const characters = Array.from(plain);
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join("")}…`;
}
