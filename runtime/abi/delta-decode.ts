/**
 * Decodes long lists of similar items. An item may be written as its difference from another one: `["shop",
 * "cart", 12, "/cart/*"]` is item "shop" with "cart" instead of "shop" in each of its strings, and "/cart/*"
 * as its twelfth string. With it 20,000 planned routes, 48 MB as JSON, take 6.
 */

/**
 * Returns the offsets of the strings in JSON text: [begin, end, begin, end, …], with their quotes. Names of
 * fields are strings, too.
 */
export function stringsIn(json: string): number[] {
  const places: number[] = [];
  for (let begin = json.indexOf('"'); begin >= 0; ) {
    let end = json.indexOf('"', begin + 1);
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
    places.push(begin, end + 1);
    begin = json.indexOf('"', end + 1);
  }
  return places;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** An item that others are similar to. */
export class Model {
  readonly strings: readonly string[];
  /** Texts in front of, between and behind the strings. */
  readonly #between: readonly string[];
  /** Pieces of each string around the id; undefined if it does not contain the id. */
  readonly #around: readonly (readonly string[] | undefined)[];

  /** @param id of the item; strings of similar items have their own id in its place */
  constructor(json: string, id: string) {
    const places = stringsIn(json);
    const strings: string[] = [];
    const between: string[] = [];
    let from = 0;
    for (let i = 0; i < places.length; i += 2) {
      between.push(json.slice(from, places[i]));
      strings.push(json.slice(places[i], places[i + 1]));
      from = places[i + 1] ?? from;
    }
    const own = inString(id);
    this.strings = strings;
    this.#between = [...between, json.slice(from)];
    this.#around = strings.map((text) => (own !== "" && text.includes(own) ? text.split(own) : undefined));
  }

  /** Returns the default of a string for the item with this id. @param own the id as in a JSON string */
  expected(index: number, own: string): string {
    return this.#around[index]?.join(own) ?? this.strings[index] ?? "";
  }

  /** Returns the JSON text of an item. @param others strings that differ from their default, by index */
  whole(own: string, others: ReadonlyMap<number, string>): string {
    let text = this.#between[0] ?? "";
    for (let i = 0; i < this.strings.length; i++)
      text += (others.get(i) ?? this.expected(i, own)) + this.#between[i + 1];
    return text;
  }
}

/** Escapes a text as between the quotes of a JSON string. */
export const inString = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Decodes all items of a list.
 * @param nameOf returns the name by which others refer to an item
 * @param idOf returns the id in a name
 * @throws Error if an item refers to one that is missing
 */
export function decodeDeltaItems<T>(
  list: readonly unknown[],
  nameOf: (item: T) => string,
  idOf: (name: string) => string = (name) => name,
): T[] {
  if (!list.some(Array.isArray)) return list as T[];
  const models = new Map<string, Model>();
  const needed = new Set(list.flatMap((item) => (Array.isArray(item) ? [item[0] as string] : [])));
  for (const item of list) {
    if (Array.isArray(item)) continue;
    const name = nameOf(item as T);
    if (needed.has(name)) models.set(name, new Model(JSON.stringify(item), idOf(name)));
  }
  return list.map((item): T => {
    if (!Array.isArray(item)) return item as T;
    return JSON.parse(wholeText(item, models, idOf)) as T;
  });
}

/**
 * Returns the JSON text of an item that is written as a difference.
 * @throws Error if the other item is missing
 */
export function wholeText(
  line: readonly unknown[],
  models: ReadonlyMap<string, Model>,
  idOf: (name: string) => string,
): string {
  const [like, name, ...rest] = line as [string, string, ...unknown[]];
  const model = models.get(like);
  if (model === undefined) throw new Error(`an item refers to item ${like}, which is missing`);
  const others = new Map<number, string>();
  for (let i = 0; i < rest.length; i += 2) others.set(Number(rest[i]), JSON.stringify(rest[i + 1]));
  return model.whole(inString(idOf(name)), others);
}
