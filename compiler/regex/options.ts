/** Option letters of lua-nginx-module's `ngx.re` (reference 5.5); `A` is pcre2test's letter for anchored. */
export interface RegexOptions {
  caseless: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
  utf: boolean;
  anchored: boolean;
  duplicateNames: boolean;
}

export type ParsedOptions =
  | { ok: true; options: RegexOptions }
  | { ok: false; offset: number; letter: string };

/**
 * `j o` are hints, `d` and `J` had an effect only in PCRE1 (reference 13.10): none of the four
 * changes a match.
 */
export function parseOptions(letters: string): ParsedOptions {
  const options: RegexOptions = {
    caseless: false,
    multiline: false,
    dotAll: false,
    extended: false,
    utf: false,
    anchored: false,
    duplicateNames: false,
  };
  for (const [offset, letter] of [...letters].entries()) {
    switch (letter) {
      case "i":
        options.caseless = true;
        break;
      case "m":
        options.multiline = true;
        break;
      case "s":
        options.dotAll = true;
        break;
      case "x":
        options.extended = true;
        break;
      case "u":
      case "U":
        options.utf = true;
        break;
      case "a":
      case "A":
        options.anchored = true;
        break;
      case "D":
        options.duplicateNames = true;
        break;
      case "j":
      case "o":
      case "d":
      case "J":
        break;
      default:
        return { ok: false, offset, letter };
    }
  }
  return { ok: true, options };
}
