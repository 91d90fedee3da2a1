import { type Document, parseDocument } from "yaml";
import { isObject } from "../api/merge-patch.js";

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

/**
 * Updates a YAML text to a value and preserves its comments, blank lines, quotes and order of fields.
 * @returns undefined if the text is invalid, or the change is behind an alias
 */
export function inStep(text: string, value: Readonly<Fields>): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  try {
    const changed = change(document, [], document.toJS() as unknown, value);
    return changed ? document.toString() : text;
  } catch {
    return undefined;
  }
}

/** @returns true if anything changed @throws Error if a path leads through an alias */
function change(document: Document, path: Path, was: unknown, is: unknown): boolean {
  if (isObject(was) && isObject(is)) return changeFields(document, path, was, is);
  if (Array.isArray(was) && Array.isArray(is)) return changeItems(document, path, was, is);
  if (JSON.stringify(was) === JSON.stringify(is)) return false;
  put(document, path, is);
  return true;
}

function changeFields(document: Document, path: Path, was: Fields, is: Fields): boolean {
  let changed = false;
  for (const name of Object.keys(was))
    if (!Object.hasOwn(is, name)) changed = document.deleteIn([...path, name]) || changed;
  for (const [name, value] of Object.entries(is)) {
    const at = [...path, name];
    if (Object.hasOwn(was, name)) changed = change(document, at, was[name], value) || changed;
    else {
      put(document, at, value);
      changed = true;
    }
  }
  return changed;
}

function changeItems(document: Document, path: Path, was: unknown[], is: unknown[]): boolean {
  let changed = false;
  for (let at = was.length - 1; at >= is.length; at -= 1)
    changed = document.deleteIn([...path, at]) || changed;
  is.forEach((value, at) => {
    if (at < was.length) changed = change(document, [...path, at], was[at], value) || changed;
    else {
      put(document, [...path, at], value);
      changed = true;
    }
  });
  return changed;
}

/** Replaces a scalar and keeps the comment next to it. */
function put(document: Document, path: Path, value: unknown): void {
  const whole = typeof value === "object" && value !== null;
  document.setIn(path, whole ? document.createNode(value) : value);
}
