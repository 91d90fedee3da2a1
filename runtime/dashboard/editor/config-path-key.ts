import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { MadeLines } from "../api/module";

/** "routes/shop" and the steps of the path. The key of a part starts with those of all parts that contain it. */
export type AddressKey = string;

/** A text, with the config path of each line. */
export interface Pane {
  text: string;
  owners: readonly (AddressKey | undefined)[];
  /** Further config paths that the first line shows. */
  first?: readonly AddressKey[];
}

const BETWEEN = "\0";
const STEP = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

const keyOf = (steps: readonly string[]): AddressKey => steps.join(BETWEEN);

/** Parses "routes/shop plugins.proxy-rewrite". Undefined if the text is no config path. */
export function readAddress(address: string): AddressKey | undefined {
  const [, owner, rest = ""] = /^([a-z_]+\/[\w.-]+)(?: (.+))?$/s.exec(address) ?? [];
  if (owner === undefined) return undefined;
  const steps = [owner];
  const step = new RegExp(STEP);
  while (step.lastIndex < rest.length) {
    const [, bare, index, quoted] = step.exec(rest) ?? [];
    const found = bare ?? index ?? (quoted === undefined ? undefined : (JSON.parse(quoted) as string));
    if (found === undefined) return undefined;
    steps.push(found);
  }
  return keyOf(steps);
}

/** "routes/shop › plugins › proxy-rewrite". */
export const shownAddress = (key: AddressKey): string => key.split(BETWEEN).join(" › ");

const isWhole = (key: AddressKey) => !key.includes(BETWEEN);

/** The config path itself and the parts that contain it, innermost first. */
export function outwards(key: AddressKey): AddressKey[] {
  const steps = key.split(BETWEEN);
  return steps.map((_, i) => keyOf(steps.slice(0, steps.length - i)));
}

/**
 * Lines, counted from 1, of a config path: those of the part and its content, or else those of the innermost
 * part that contains it. A whole resource has the lines that belong to no part of it.
 */
export function linesOf({ owners, first = [] }: Pane, key: AddressKey): number[] {
  const lines = ownLines(owners, key);
  return first.some((one) => one === key || key.startsWith(`${one}${BETWEEN}`)) ? [1, ...lines] : lines;
}

function ownLines(owners: Pane["owners"], key: AddressKey): number[] {
  const those = (fits: (owner: AddressKey) => boolean) =>
    owners.flatMap((owner, i) => (owner !== undefined && fits(owner) ? [i + 1] : []));
  if (isWhole(key)) return those((owner) => owner === key);
  const within = those((owner) => owner === key || owner.startsWith(`${key}${BETWEEN}`));
  if (within.length > 0) return within;
  for (const outer of outwards(key).slice(1)) {
    if (isWhole(outer)) return [];
    const lines = those((owner) => owner === outer);
    if (lines.length > 0) return lines;
  }
  return [];
}

/** @param title config paths that its first line shows */
export function modulePane(code: string, made: readonly MadeLines[], title: readonly string[]): Pane {
  const owners: (AddressKey | undefined)[] = code.split("\n").map(() => undefined);
  for (const { from, to, address } of made) owners.fill(readAddress(address), from - 1, to);
  return { text: code, owners, first: title.flatMap((address) => readAddress(address) ?? []) };
}

/**
 * An object with an `origin` owns its lines, except those of inner objects with an origin of their own.
 * @param row config paths of the fields of its row
 */
export function planPane(plan: unknown, row: ReadonlyMap<string, string>): Pane {
  const lines = jsonLines(plan, undefined, { inside: row });
  return { text: lines.map(({ text }) => text).join("\n"), owners: lines.map(({ owner }) => owner) };
}

interface OwnedLine {
  text: string;
  owner: AddressKey | undefined;
}

/** Config paths of fields: of the object itself, or of the row inside it. */
interface FieldAddresses {
  own?: ReadonlyMap<string, string> | undefined;
  inside?: ReadonlyMap<string, string>;
}

function jsonLines(
  value: unknown,
  outer: AddressKey | undefined,
  { own, inside }: FieldAddresses = {},
): OwnedLine[] {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0)
    return [{ text: JSON.stringify(value) ?? "null", owner: outer }];
  const isList = Array.isArray(value);
  const origins = value as Readonly<Record<string, unknown>>;
  const named = (name: string) =>
    !isList && typeof origins[name] === "string" ? readAddress(origins[name]) : undefined;
  const owner = named("origin") ?? outer;
  const fields = Object.entries(value);
  const inner = fields.flatMap(([name, field], i) => {
    const made = readAddress(own?.get(name) ?? "");
    const below = name === "row" ? { own: inside } : {};
    const lines = jsonLines(field, named(`${name}Origin`) ?? made ?? owner, below);
    const label = isList ? "" : `${JSON.stringify(name)}: `;
    const comma = i === fields.length - 1 ? "" : ",";
    return lines.map(({ text, owner: owned }, at) => ({
      text: `  ${at === 0 ? label : ""}${text}${at === lines.length - 1 ? comma : ""}`,
      owner: owned,
    }));
  });
  const [open, close] = isList ? "[]" : "{}";
  return [{ text: open ?? "", owner }, ...inner, { text: close ?? "", owner }];
}

export interface YamlResource {
  /** "routes/shop". */
  name: string;
  /** Text after its name. */
  note: string;
  yaml: string;
}

/** Pane of several resources, each below a line with its name. */
export function configurationPane(resources: readonly YamlResource[]): Pane {
  const parts = resources.map(({ name, note, yaml }) => {
    const text = yaml.replace(/\n$/, "");
    return { text: `# ${name}${note}\n${text}\n`, owners: [name, ...yamlOwners(name, text), undefined] };
  });
  return {
    text: parts.map(({ text }) => text).join("\n"),
    owners: parts.flatMap(({ owners }) => owners),
  };
}

function yamlOwners(name: string, text: string): (AddressKey | undefined)[] {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, logLevel: "silent" });
  const owners: (AddressKey | undefined)[] = text.split("\n").map(() => undefined);
  const lineAt = (offset: number) => lineCounter.linePos(offset).line - 1;
  const visit = (node: unknown, steps: readonly string[], from: number): void => {
    const range = (node as { range?: [number, number, number] | null } | null)?.range;
    const to = Math.max(from, (range?.[1] ?? from) - 1);
    owners.fill(keyOf(steps), lineAt(from), lineAt(to) + 1);
    if (isMap(node))
      for (const { key, value } of node.items)
        if (isScalar(key)) visit(value, [...steps, String(key.value)], key.range?.[0] ?? from);
    if (isSeq(node))
      node.items.forEach((item, i) => {
        const start = (item as { range?: [number, number, number] | null }).range?.[0];
        visit(item, [...steps, String(i)], start ?? from);
      });
  };
  visit(contents, [name], 0);
  return owners;
}
