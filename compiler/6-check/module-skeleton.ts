import { type SchemaNode, schemaFile, schemaFiles } from "../../schema/schemas.js";

/** Comments; texts, regular expressions and numbers in the forms that the emitter prints. */
const DETAIL =
  /\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=[(=] )\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|\b\d+(?:\.\d+)?\b/g;

/** Values that are types: those that schemas enumerate, of plugins of packages too. */
export interface EnumeratedValues {
  texts: ReadonlySet<string>;
  /** Matches the name of an enumerated number in front of it. */
  numberBefore: RegExp;
}

export function enumeratedValues(): EnumeratedValues {
  const texts = new Set<string>();
  const numbers = new Set<string>();
  const visit = ({
    properties,
    definitions,
    items,
    allOf = [],
    anyOf = [],
    oneOf = [],
    ...node
  }: SchemaNode) => {
    for (const value of node.enum ?? []) if (typeof value === "string") texts.add(JSON.stringify(value));
    for (const [name, inner] of Object.entries({ ...properties, ...definitions })) {
      if (inner.enum?.some((value) => typeof value === "number")) numbers.add(camelCase(name));
      visit(inner);
    }
    for (const inner of [items, ...allOf, ...anyOf, ...oneOf]) if (inner !== undefined) visit(inner);
  };
  for (const file of schemaFiles()) visit(schemaFile(file).node);
  return { texts, numberBefore: new RegExp(`\\b(?:${[...numbers].join("|")}): -?$`) };
}

/** Name of a setting as modules print it. */
const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const DECLARED = /\bconst (\w+) = /g;
/** Names, except members and keys; the name in `{ name }` counts as a key. */
const NAME = /(?<![.\w$"]|\{ )[A-Za-z_]\w*(?![\w:]| \})/g;

/**
 * Skeleton of a module: its code without constants. Types and layout do not depend on texts, patterns, numbers
 * and names of constants, so the type check reads one of 10,000 modules for each skeleton. Enumerated values
 * remain.
 */
export function skeletonOf(typescript: string, values: EnumeratedValues): string {
  const code = withoutDetails(typescript, values);
  const names = new Map<string, string>();
  for (const [, name = ""] of code.matchAll(DECLARED))
    if (!names.has(name)) names.set(name, `$${names.size}`);
  return code.replace(NAME, (name) => names.get(name) ?? name);
}

function withoutDetails(typescript: string, { texts, numberBefore }: EnumeratedValues): string {
  return typescript.replace(DETAIL, (detail, offset: number) => {
    if (detail.startsWith("//")) return "//";
    if (detail.startsWith("/")) return "/r/";
    if (!/^\d/.test(detail)) return texts.has(detail) || detail.startsWith('"gwc/') ? detail : '"t"';
    return numberBefore.test(typescript.slice(Math.max(0, offset - 40), offset)) ? detail : "0";
  });
}
