import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import { resolved, type Schema } from "../forms/schema";

/** Schemas of a text: of the whole, and of each plugin's settings by its name. */
export interface SchemaSource {
  root: Schema;
  plugins: Readonly<Record<string, Schema>>;
}

/** Names of properties and items ("[]") from the root of a resource. */
export type FieldPath = readonly string[];

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/s, "$2");

export const keyOf = (field: SyntaxNode): SyntaxNode | null =>
  field.getChild("PropertyName") ?? field.getChild("Key");

const isField = ({ name }: SyntaxNode): boolean => name === "Property" || name === "Pair";

export function pathTo(state: EditorState, node: SyntaxNode | null): FieldPath {
  const path: string[] = [];
  for (let at = node; at !== null; at = at.parent) {
    if (at.name === "Array" || at.name === "Item") path.unshift("[]");
    const key = isField(at) ? keyOf(at) : null;
    if (key !== null) path.unshift(unquoted(state.sliceDoc(key.from, key.to)));
  }
  return path;
}

/** Time limit in ms for parsing the rest of a text: the editor parses in steps, but a query needs the tree now. */
const PARSING_MS = 100;

export const nodeAt = (state: EditorState, pos: number, side: -1 | 1): SyntaxNode =>
  (ensureSyntaxTree(state, pos, PARSING_MS) ?? syntaxTree(state)).resolveInner(pos, side);

/** The field at a position, if the position is in its key or in a value without parts. */
export function fieldAt(state: EditorState, pos: number, side: -1 | 1): SyntaxNode | null {
  const node = nodeAt(state, pos, side);
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (isField(at)) return at;
    if (/^(?:Object|Array|(?:Block|Flow)(?:Mapping|Sequence)|Document|JsonText)$/.test(at.name)) return null;
  }
  return null;
}

/** Schema at a path; undefined if the schema does not define it. */
export function schemaAt({ root, plugins }: SchemaSource, path: FieldPath): Schema | undefined {
  let [schema, definitions]: [Schema | undefined, Schema] = [root, root];
  for (const [at, name] of path.entries()) {
    const plugin = at > 0 && path[at - 1] === "plugins" ? plugins[name] : undefined;
    if (plugin) {
      [schema, definitions] = [plugin, plugin];
      continue;
    }
    schema = below(schema, name, definitions);
  }
  return resolved(schema, definitions);
}

/** Schema of a field or item, or of the first alternative that has it. */
function below(schema: Schema | undefined, name: string, definitions: Schema): Schema | undefined {
  const known = resolved(schema, definitions);
  if (known === undefined) return undefined;
  const own = name === "[]" ? known.items : (known.properties?.[name] ?? additional(known));
  if (own !== undefined) return own;
  for (const other of [...(known.anyOf ?? []), ...(known.oneOf ?? [])]) {
    const found = below(other, name, definitions);
    if (found !== undefined) return found;
  }
  return undefined;
}

const additional = (schema: Schema) =>
  typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;

export function fieldsAt(
  source: SchemaSource,
  path: FieldPath,
): Readonly<Record<string, Schema>> | undefined {
  return path.at(-1) === "plugins" ? source.plugins : schemaAt(source, path)?.properties;
}
