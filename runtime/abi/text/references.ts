/** Literal, or the name of a variable with the text that replaces an absent value. */
export type TextPiece = { literal: string } | { name: string; fallback: string | undefined };

const REFERENCE = /\\\$|\$\{([^}]*)\}|\$([A-Za-z0-9_]+)/g;
const INSIDE = /^\s*(.*?)\s*(?:\?\?\s*(.*?)\s*)?$/s;

/** `$name`, `${name}` and `${name ?? default}` are variables, `\$` a dollar, the rest literal. */
export function textPieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const found of text.matchAll(REFERENCE)) {
    const [whole, inside, bare] = found;
    if (found.index > end) pieces.push({ literal: text.slice(end, found.index) });
    end = found.index + whole.length;
    if (whole === "\\$") {
      pieces.push({ literal: "$" });
      continue;
    }
    const [, name = "", fallback] = INSIDE.exec(inside ?? bare ?? "") ?? [];
    pieces.push({ name, fallback });
  }
  if (end < text.length) pieces.push({ literal: text.slice(end) });
  return pieces;
}
