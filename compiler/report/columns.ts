// Blocks that terminals show two cells wide: CJK, Hangul, full-width forms, pictographs (Unicode 15, East
// Asian Width W and F).
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

/** Blanks as wide as the text. Tabs are kept, so that they end in the same columns as in the line above. */
export function paddingFor(text: string): string {
  return [...text].map((character) => (character === "\t" ? "\t" : " ".repeat(cells(character)))).join("");
}

/** Width in terminal cells of a text without tabs. */
export function width(text: string): number {
  return [...text].reduce((sum, character) => sum + cells(character), 0);
}

function cells(character: string): number {
  if (/^(?:\p{Mn}|\p{Cf})$/u.test(character)) return 0;
  const code = character.codePointAt(0) ?? 0;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
