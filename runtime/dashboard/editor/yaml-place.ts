/** Position of a key or value in incomplete block YAML. */
export interface YamlPlace {
  /** Path of the object around the key, or of the field with the value. */
  path: readonly string[];
  writes: "key" | "value";
  from: number;
}

/** Indentation, item markers, and a key with the text after it. */
const LINE = /^(\s*)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s"'#:[\]{},][^:#]*?)\s*:(?:\s+(.*))?)?$/;
/** Beginning of a line up to the cursor. */
const KEY = /^(\s*)((?:- +)*)([\w-]*)$/;
const VALUE = /^(\s*)((?:- +)*)([\w-]+):\s+(\S*)$/;

/**
 * Reads the lines above the cursor, because the tree of an incomplete text is unreliable.
 * @returns undefined if nothing can be completed
 */
export function yamlPlace(before: readonly string[], line: string): YamlPlace | undefined {
  const key = KEY.exec(line);
  const value = key ? null : VALUE.exec(line);
  const found = key ?? value;
  if (found === null) return undefined;
  const [, indent = "", marks = "", name = "", text = ""] = found;
  const above = pathAbove(before, indent.length, marks);
  if (key !== null) return { path: above, writes: "key", from: line.length - name.length };
  return { path: [...above, name], writes: "value", from: line.length - text.length };
}

/** Columns of the item markers at the start of a line. */
const columns = (indent: number, marks: string): number[] =>
  [...marks.matchAll(/-/g)].map(({ index }) => indent + index);

function pathAbove(before: readonly string[], indent: number, marks: string): readonly string[] {
  const path: string[] = [];
  let bound = indent + marks.length;
  // The key of a list may be in the column of its items.
  let ofList = false;
  const enter = (items: readonly number[]) => {
    for (const column of [...items].reverse()) {
      path.unshift("[]");
      bound = column;
      ofList = true;
    }
  };
  enter(columns(indent, marks));
  for (let i = before.length - 1; i >= 0 && (bound > 0 || ofList); i -= 1) {
    const [, space = "", items = "", name, rest = ""] = LINE.exec(before[i] ?? "") ?? [];
    if (name === undefined) continue;
    const column = space.length + items.length;
    const isParent = column < bound || (ofList && column === bound && items === "");
    if (isParent && (rest === "" || rest.startsWith("#"))) {
      path.unshift(name.replace(/^(["'])(.*)\1$/, "$2"));
      bound = column;
      ofList = false;
      enter(columns(space.length, items));
    } else if (items !== "" && !ofList && column === bound) enter(columns(space.length, items));
  }
  return path;
}
