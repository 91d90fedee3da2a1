import { type Match, SHORTEST_SOUGHT, Spellings } from "../../runtime/abi/spellings.js";
import type { Span } from "../model/diagnostic.js";
import { type SourceText, spanInLine } from "../model/source.js";

const SHOWN = "***";

/** Members whose names are data, not names of the report format. */
const DATA: ReadonlySet<string> = new Set(["expected", "actual", "plan", "record", "value"]);
/** Members with words of gwc itself or locations: FILE:LINE:COLUMN. */
const OWN: ReadonlySet<string> = new Set([
  ...["file", "from", "kind", "phases", "place", "scheme", "type", "when"],
]);

/** Members that name resources. */
const NAMES: ReadonlySet<string> = new Set(["address", "hides", "id", "key", "matched"]);

interface RedactionOptions {
  /** False if no text was shortened by "…", which must not reveal how a secret begins. */
  isCut?: boolean;
  /** Secrets that are also masked as JSON numbers. */
  numbers?: readonly string[];
}

/**
 * Replaces secrets by `***` in all of their spellings (`Spellings`). Field names of the report are never
 * masked. A secret of less than 4 characters is masked only as a whole text.
 * @param open names and addresses that somebody wrote out, such as `/p4711`. They reveal nothing about a
 * variable with the value 4711. One that equals a secret is shown only where a resource is named.
 */
export function reportRedactor(
  secrets: readonly string[],
  open?: readonly string[],
  { isCut = true, numbers = [] }: RedactionOptions = {},
): <T>(value: T) => T {
  const spellings = spellingsOf(secrets);
  const wholes = new Set(secrets.filter((secret) => secret !== "" && secret.length < SHORTEST_SOUGHT));
  const shown = [...new Set(open)].filter((one) => spellings.places(one).length > 0);
  const longer = shown.filter((one) => spellings.places(one).every(([from, to]) => to - from < one.length));
  const text = (written: string, kept: readonly string[]): string => {
    if (wholes.has(written) && !kept.includes(written)) return SHOWN;
    // Computed on demand, since most texts contain no secret.
    let words: Match[] | undefined;
    const isSpared = ([start, end]: Match) => {
      words ??= kept.flatMap((one) => wordsIn(written, one));
      return words.some(([from, to]) => from <= start && end <= to);
    };
    return spellings.without(written, SHOWN, isSpared, isCut);
  };
  const unshown = new Set(numbers);
  const hidden = (value: unknown, inData: boolean, kept: readonly string[]): unknown => {
    if (typeof value === "string") return text(value, kept);
    if (typeof value === "number") return unshown.has(String(value)) ? SHOWN : value;
    if (Array.isArray(value)) return value.map((item) => hidden(item, inData, kept));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (inData) return [text(name, longer), hidden(member, true, longer)];
        if (open !== undefined && OWN.has(name) && isWords(member)) return [name, member];
        return [name, hidden(member, DATA.has(name), NAMES.has(name) ? shown : longer)];
      }),
    );
  };
  return <T>(value: T) => hidden(value, false, longer) as T;
}

/** Last result: secrets of 20,000 consumers take half a second, and are the same until a write. */
let made: { secrets: readonly string[]; spellings: Spellings } | undefined;

function spellingsOf(secrets: readonly string[]): Spellings {
  const known = made?.secrets;
  const isSame = known?.length === secrets.length && secrets.every((secret, i) => secret === known[i]);
  if (made === undefined || !isSame) {
    const sought = secrets.filter((secret) => secret.length >= SHORTEST_SOUGHT);
    made = { secrets: [...secrets], spellings: new Spellings(sought) };
  }
  return made.spellings;
}

const isWords = (member: unknown): boolean => [member].flat().every((one) => typeof one === "string");

const PART_OF_WORD = /[\p{L}\p{N}_%-]/u;

/** Finds whole words. */
function wordsIn(text: string, word: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const [before, behind] = [text[at - 1] ?? " ", text[at + word.length] ?? " "];
    const begins = !PART_OF_WORD.test(word[0] ?? "") || !PART_OF_WORD.test(before);
    const ends = !PART_OF_WORD.test(word[word.length - 1] ?? "") || !PART_OF_WORD.test(behind);
    if (begins && ends) found.push([at, at + word.length]);
  }
  return found;
}

/**
 * Spans of secrets in sources: a test may repeat the key of a consumer, and a diagnostic next to it shows the
 * line.
 */
export function spansOf(sources: readonly SourceText[], secrets: readonly string[]): Span[] {
  const parts = secrets.filter((secret) => secret.length >= SHORTEST_SOUGHT && !secret.includes("\n"));
  const spellings = new Spellings(parts);
  return sources.flatMap(({ name: file, text }) =>
    text
      .split(/\r?\n/)
      .flatMap((line, index) =>
        spellings.places(line).map(([start, end]) => spanInLine(file, index, start, end)),
      ),
  );
}
