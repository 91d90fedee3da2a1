import { crc32 } from "node:zlib";
import { inString, Model, stringsIn, wholeText } from "../../runtime/abi/delta-decode.js";

/** Minimum number of items for delta encoding: shorter lists stay readable for people. */
export const MIN_DELTA_ITEMS = 256;

/** Item of a list, as JSON without blanks. */
export interface Item {
  name: string;
  readonly json: string;
  /** Its old line, set if the model of that line has not changed. */
  before?: DeltaLine | undefined;
}

export interface DeltaLine {
  line: string;
  like: string;
}

/**
 * Encodes the lines of a list. Items with the same fields and numbers are written as a delta to one of them,
 * their model. The choice of the model does not depend on the order and seldom on other items. So an added or
 * removed item leaves the other lines as they are.
 */
export function encodeDeltaLines(
  items: readonly Item[],
  idOf: (name: string) => string = (name) => name,
): string[] {
  if (items.length < MIN_DELTA_ITEMS) return items.map(({ json }) => json);
  const keys = formsOf(items);
  const chosen = new Map<number | undefined, { item: Item; rank: number }>();
  items.forEach((item, i) => {
    const rank = crc32(item.name);
    const before = chosen.get(keys[i]);
    if (before === undefined || rank < before.rank) chosen.set(keys[i], { item, rank });
  });
  const models = new Map(
    [...chosen.values()].flatMap(({ item }): [Item, Model][] =>
      survivesRoundTrip(item.json) ? [[item, new Model(item.json, idOf(item.name))]] : [],
    ),
  );
  return items.map((item, i) => {
    const like = chosen.get(keys[i])?.item ?? item;
    const model = models.get(like);
    if (item.before !== undefined && item.before.like === like.name) return item.before.line;
    return like === item || model === undefined
      ? item.json
      : lineLike(like, model, item, inString(idOf(item.name)));
  });
}

/**
 * Reads the items of a list written by `encodeDeltaLines`; each decodes its text on access.
 * @param names names of the lines, in their order
 * @param isSame reports whether the item of that name is unchanged
 */
export function readLines(
  lines: readonly string[],
  names: readonly string[],
  isSame: (name: string) => boolean,
): Item[] {
  const byName = new Map(names.map((name, i) => [name, lines[i] ?? ""]));
  const models = new Map<string, Model>();
  return names.map((name, i): Item => {
    const line = lines[i] ?? "";
    if (!line.startsWith("[")) return { name, json: line };
    const [like] = JSON.parse(line) as [string];
    return {
      name,
      get json() {
        const model = models.get(like) ?? new Model(byName.get(like) ?? "", like);
        models.set(like, model);
        return wholeText(JSON.parse(line) as unknown[], models, (own) => own);
      },
      before: isSame(like) ? { line, like } : undefined,
    };
  });
}

/** Reports whether JSON survives a round trip: fields with integer names move to the front. */
const survivesRoundTrip = (json: string): boolean => JSON.stringify(JSON.parse(json)) === json;

/**
 * Number of each item's form: 20,000 forms as texts take 200 MB. An item with an old delta line has the form
 * of its model.
 */
function formsOf(items: readonly Item[]): number[] {
  const byName = new Map(items.map((item) => [item.name, item]));
  const numbers = new Map<string, number>();
  const numberOf = ({ json }: Item) => {
    const form = formOf(json);
    const number = numbers.get(form) ?? numbers.size;
    numbers.set(form, number);
    return number;
  };
  const forms = new Map<string, number>();
  return items.map((item) => {
    if (item.before === undefined) return numberOf(item);
    const like = byName.get(item.before.like) ?? item;
    const form = forms.get(like.name) ?? numberOf(like);
    forms.set(like.name, form);
    return form;
  });
}

/** JSON without its strings. */
function formOf(json: string): string {
  const places = stringsIn(json);
  const parts = [json.slice(0, places[0])];
  for (let i = 1; i < places.length; i += 2) parts.push(json.slice(places[i], places[i + 1]));
  return parts.join('"');
}

function lineLike(like: Item, model: Model, { name, json }: Item, own: string): string {
  const places = stringsIn(json);
  const parts: (string | number)[] = [JSON.stringify(like.name), JSON.stringify(name)];
  for (let i = 0; i < places.length; i += 2) {
    const text = json.slice(places[i], places[i + 1]);
    if (text !== model.expected(i / 2, own)) parts.push(i / 2, text);
  }
  // Joined: a text built by concatenation stays a tree of slices, each of which retains all of its item.
  return `[${parts.join(",")}]`;
}
