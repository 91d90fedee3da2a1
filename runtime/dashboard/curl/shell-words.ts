/** The first command of a text, split as a POSIX shell does, with the `$'…'` of bash. */
export interface ShellWords {
  words: string[];
  /** Expansions of the shell: "$TOKEN", "$(cat a)". The words keep them as written. */
  open: string[];
}

/** Order matters: each alternative begins with a character that no earlier one accepts. */
const PIECE = new RegExp(
  [
    /(?<joined>\\\r?\n)/,
    /\\(?<escaped>.)/,
    /\$'(?<coded>(?:[^'\\]|\\.)*)'/,
    /'(?<single>[^']*)'/,
    /\$?"(?<double>(?:[^"\\]|\\.)*)"/,
    /(?<variable>\$(?:\w+|\{[^}]*\}|\((?:[^()]|\([^()]*\))*\)|[@*#?!-])|`[^`]*`)/,
    /(?<redirection>\d?[<>]+(?:&\d|&-)?)/,
    /(?<end>\r?\n|[;|&])/,
    /(?<blank>[^\S\r\n]+|\r(?!\n))/,
    /(?<plain>[^\s'"\\$`;|&<>]+|.)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gsu",
);

export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  const open: string[] = [];
  let word: string | undefined;
  /** The next word names the file of a redirection. */
  let isFile = false;
  const finish = () => {
    if (word === undefined) return;
    if (!isFile) words.push(word);
    isFile = false;
    word = undefined;
  };
  for (const { groups = {} } of text.trim().matchAll(PIECE)) {
    const { joined, blank, end, redirection, plain } = groups;
    if (joined !== undefined) continue;
    if (end !== undefined || (word === undefined && plain?.startsWith("#"))) break;
    if (blank !== undefined) finish();
    else if (redirection !== undefined) {
      finish();
      isFile = !redirection.includes("&");
    } else word = (word ?? "") + pieceOf(groups, open);
  }
  finish();
  return { words, open };
}

type Groups = Readonly<Record<string, string | undefined>>;

function pieceOf({ escaped, coded, single, double, variable, plain }: Groups, open: string[]): string {
  if (variable !== undefined) open.push(variable);
  if (coded !== undefined) return decoded(coded);
  if (double === undefined) return escaped ?? single ?? variable ?? plain ?? "";
  // An escaped "$" starts no variable.
  const others = double.replace(/\\./gsu, "");
  open.push(...(others.match(/\$(?:\w+|\{[^}]*\}|\([^)]*\))|`[^`]*`/gu) ?? []));
  return double.replace(/\\\r?\n/g, "").replace(/\\(["\\$`])/g, "$1");
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

/** Numbers up to 0x7f and those of `\u` are characters; larger ones of `\x` and octal escapes are bytes of UTF-8. */
function decoded(text: string): string {
  const bytes: number[] = [];
  const put = (part: string) => bytes.push(...new TextEncoder().encode(part));
  const pieces = text.matchAll(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|(.))|([^\\]+)/gisu,
  );
  for (const [, hex, short, long, octal, letter, plain] of pieces) {
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (short !== undefined || long !== undefined) {
      const point = Number.parseInt(short ?? long ?? "", 16);
      put(point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point));
    } else if (letter !== undefined)
      put(LETTERS[letter] ?? (/['"\\?]/.test(letter) ? letter : `\\${letter}`));
    else put(plain ?? "");
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
