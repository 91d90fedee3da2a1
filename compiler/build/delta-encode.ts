import { crc32 } from "node:zlib";
import { inString, Model, stringsIn, wholeText } from "../../runtime/abi/delta-decode.js";

/** Items from which what they have in common is written once: shorter lists are for people, too. */
export const ALIKE_FROM = 256;

/** An item of a list, as JSON without blanks. */
export interface Item {
  name: string;
  readonly json: string;
  /** Its line in a list in which the item that it is like was the same. */
  before?: DeltaLine | undefined;
}

export interface DeltaLine {
  line: string;
  like: string;
}

/**
 * The lines of a list, read by `wholeItems`. Those with the same fields and numbers are written as like one of them, which does not
 * depend on their order and seldom on the others: one more item, or one less, leaves the lines as they are.
 */
export function encodeDeltaLines(
  items: readonly Item[],
  idOf: (name: string) => string = (name) => name,
): string[] {
  if (items.length < ALIKE_FROM) return items.map(({ json }) => json);
  const keys = formsOf(items);
  const chosen = new Map<number | undefined, { item: Item; rank: number }>();
  items.forEach((item, i) => {
    const rank = crc32(item.name);
    const before = chosen.get(keys[i]);
    if (before === undefined || rank < before.rank) chosen.set(keys[i], { item, rank });
  });
  const models = new Map(
    [...chosen.values()].flatMap(({ item }): [Item, Model][] =>
      isKept(item.json) ? [[item, new Model(item.json, idOf(item.name))]] : [],
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
 * The items of a list as `likeLines` wrote it, each whole when its text is asked for.
 * @param names of the lines, in their order @param isSame whether the item of that name is what it was
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

/** Fields whose names are whole numbers come first when they are read. */
const isKept = (json: string): boolean => JSON.stringify(JSON.parse(json)) === json;

/** A number for each form: 20,000 forms as texts take 200 MB. An item that was like another one has the form of that one. */
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

/** All but the strings. */
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
  // Joined: a text that is added up stays a tree of slices, each of which keeps all of its item.
  return `[${parts.join(",")}]`;
}
