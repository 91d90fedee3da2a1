/**
 * Characters that a terminal or a log viewer obeys: DEL, C1 controls (U+009B is ESC [), marks that change the
 * direction of reading (U+202E and the like), separators of lines and paragraphs, and characters without
 * width.
 */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
/** C0 controls but for the tab and the line end. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/g;

const escaped = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes as \uXXXX in JSON, or in text next to JSON, where C0 controls are escaped already. */
export const escapeUnseen = (text: string): string => text.replace(UNSEEN, escaped);

/** Escapes in other text, with C0 controls but for the tab and the line end. */
export const visible = (text: string): string => escapeUnseen(text.replace(CONTROLS, escaped));

/** Turns line ends into blanks, too. */
export const visibleLine = (text: string): string => visible(text.replace(/[\r\n]+/g, " "));

const replacing = (text: string, by: string) => text.replace(CONTROLS, by).replace(UNSEEN, by);

/** Prints one U+FFFD for each, so that columns stay unchanged. */
export const replacingUnseen = (text: string): string => replacing(text, "\ufffd");

/** Prints for a line of a terminal: one "?" for each, for tabs and for line ends, and at most `most` characters. */
export function printable(text: string, most = 200): string {
  const plain = replacing(text.replace(/[\t\n]/g, "?"), "?");
  const characters = Array.from(plain);
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join("")}…`;
}
