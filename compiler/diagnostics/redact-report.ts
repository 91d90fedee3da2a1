import { type Place, SHORTEST_SOUGHT, Spellings } from "../../runtime/abi/spellings.js";
import type { SourceText } from "../parse/source.js";
import type { Span } from "./diagnostic.js";

const SHOWN = "***";

/** Members of a report whose names are data and not the report's own. */
const DATA: ReadonlySet<string> = new Set(["expected", "actual", "plan", "record", "value"]);
/** Members of a report, outside of data, that hold words of gwc's own or places: FILE:LINE:COLUMN. */
const OWN: ReadonlySet<string> = new Set([
  ...["file", "from", "kind", "phases", "place", "scheme", "type", "when"],
]);

/** Members, outside of data, that name resources. */
const NAMES: ReadonlySet<string> = new Set(["address", "hides", "id", "key", "matched"]);

/** How secrets are sought. */
interface HidingOptions {
  /** False: nothing in the report has been cut with "…"; it holds what somebody has sent, and may tell nothing of how a secret begins. */
  isCut?: boolean;
  /** Secrets that are numbers, which are hidden where they stand as numbers too. */
  numbers?: readonly string[];
}

/**
 * Puts `***` in the place of secrets, in every text of a report and however they are written there (`Spellings`). A secret that is spelled
 * like a field of the report takes nothing from it; one of less than 4 characters is hidden where it is the whole of a text.
 * @param open of an answer of the admin API: names and addresses that somebody wrote out, such as `/p4711`, which tell nothing of a
 * variable whose value is 4711. One that is spelled like a secret is shown only where a resource is named.
 */
export function reportRedactor(
  secrets: readonly string[],
  open?: readonly string[],
  { isCut = true, numbers = [] }: HidingOptions = {},
): <T>(value: T) => T {
  const spellings = spellingsOf(secrets);
  const wholes = new Set(secrets.filter((secret) => secret !== "" && secret.length < SHORTEST_SOUGHT));
  const shown = [...new Set(open)].filter((one) => spellings.places(one).length > 0);
  const longer = shown.filter((one) => spellings.places(one).every(([from, to]) => to - from < one.length));
  const text = (written: string, kept: readonly string[]): string => {
    if (wholes.has(written) && !kept.includes(written)) return SHOWN;
    // Most texts hold no secret, and then nobody asks for the words.
    let words: Place[] | undefined;
    const isSpared = ([start, end]: Place) => {
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

/** The last ones: secrets of 20,000 consumers take half a second, and are the same until a write. */
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

/** Where a word stands by itself. */
function wordsIn(text: string, word: string): Place[] {
  const found: Place[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const [before, behind] = [text[at - 1] ?? " ", text[at + word.length] ?? " "];
    const begins = !PART_OF_WORD.test(word[0] ?? "") || !PART_OF_WORD.test(before);
    const ends = !PART_OF_WORD.test(word[word.length - 1] ?? "") || !PART_OF_WORD.test(behind);
    if (begins && ends) found.push([at, at + word.length]);
  }
  return found;
}

/** Where they stand in sources: a test may repeat the key of a consumer, and a finding beside it shows the line. */
export function spansOf(sources: readonly SourceText[], secrets: readonly string[]): Span[] {
  const parts = secrets.filter((secret) => secret.length >= SHORTEST_SOUGHT && !secret.includes("\n"));
  const spellings = new Spellings(parts);
  return sources.flatMap(({ name: file, text }) =>
    text.split(/\r?\n/).flatMap((line, index) =>
      spellings.places(line).map(([start, end]) => ({
        file,
        start: { line: index + 1, column: start + 1 },
        end: { line: index + 1, column: end + 1 },
      })),
    ),
  );
}
