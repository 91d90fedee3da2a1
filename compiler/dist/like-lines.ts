import { crc32 } from "node:zlib";
import { inString, Model, stringsIn, wholeText } from "../../runtime/abi/like-lines.js";

/** Items from which what they have in common is written once: shorter lists are for people, too. */
export const ALIKE_FROM = 256;

/** An item of a list, as JSON without blanks. */
export interface Item {
  name: string;
  json: string;
}

/**
 * The lines of a list, read by `wholeItems`. Those with the same fields and numbers are written as like one of them, which does not
 * depend on their order and seldom on the others: one more item, or one less, leaves the lines as they are.
 */
export function likeLines(items: readonly Item[], idOf: (name: string) => string = (name) => name): string[] {
  if (items.length < ALIKE_FROM) return items.map(({ json }) => json);
  const keys = items.map(({ json }) => formOf(json));
  const chosen = new Map<string, { item: Item; rank: number }>();
  items.forEach((item, i) => {
    const rank = crc32(item.name);
    const before = chosen.get(keys[i] ?? "");
    if (before === undefined || rank < before.rank) chosen.set(keys[i] ?? "", { item, rank });
  });
  const models = new Map(
    [...chosen.values()].flatMap(({ item }): [Item, Model][] =>
      isKept(item.json) ? [[item, new Model(item.json, idOf(item.name))]] : [],
    ),
  );
  return items.map((item, i) => {
    const like = chosen.get(keys[i] ?? "")?.item ?? item;
    const model = models.get(like);
    return like === item || model === undefined
      ? item.json
      : lineLike(like, model, item, inString(idOf(item.name)));
  });
}

/**
 * The JSON texts of the items of a list as `likeLines` wrote them.
 * @param names of the lines, in their order @throws Error where a line is like none of the others
 */
export function wholeLines(lines: readonly string[], names: readonly string[]): string[] {
  const rows = lines.map((line) => (line.startsWith("[") ? (JSON.parse(line) as unknown[]) : undefined));
  const needed = new Set(rows.flatMap((row) => (row === undefined ? [] : [row[0]])));
  const models = new Map(
    lines.flatMap((line, i): [string, Model][] => {
      const name = names[i] ?? "";
      return rows[i] === undefined && needed.has(name) ? [[name, new Model(line, name)]] : [];
    }),
  );
  return lines.map((line, i) => {
    const row = rows[i];
    return row === undefined ? line : wholeText(row, models, (name) => name);
  });
}

/** Fields whose names are whole numbers come first when they are read. */
const isKept = (json: string): boolean => JSON.stringify(JSON.parse(json)) === json;

/** All but the strings. */
function formOf(json: string): string {
  const places = stringsIn(json);
  let form = json.slice(0, places[0]);
  for (let i = 1; i < places.length; i += 2) form += `"${json.slice(places[i], places[i + 1])}`;
  return form;
}

function lineLike(like: Item, model: Model, { name, json }: Item, own: string): string {
  const places = stringsIn(json);
  let line = `[${JSON.stringify(like.name)},${JSON.stringify(name)}`;
  for (let i = 0; i < places.length; i += 2) {
    const text = json.slice(places[i], places[i + 1]);
    if (text !== model.expected(i / 2, own)) line += `,${i / 2},${text}`;
  }
  return `${line}]`;
}
