import { handlebars } from "./handlebars.js";

/** A field that a template names and its view does not have. */
export interface MissingField {
  name: string;
  /** Of the template. */
  line: number;
  /** What the view has in that place. */
  known: string[];
}

type Contexts = readonly unknown[];

/**
 * The first field that a template would ask its view for in vain. Handlebars' strict mode looks at what stands alone in braces and
 * not at what a printer or a block is given: there a typo prints nothing, or is false.
 */
export function findMissingField(source: string, view: Record<string, unknown>): MissingField | undefined {
  return inProgram(handlebars().parse(source), [view]);
}

function inProgram(program: hbs.AST.Program | undefined, contexts: Contexts): MissingField | undefined {
  for (const statement of program?.body ?? []) {
    const found = inStatement(statement, contexts);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inStatement(statement: hbs.AST.Statement, contexts: Contexts): MissingField | undefined {
  const { params = [] } = statement as { params?: hbs.AST.Expression[] };
  for (const param of params) {
    const found = inPath(param, contexts);
    if (found !== undefined) return found;
  }
  if (statement.type !== "BlockStatement") return undefined;
  const { path, program, inverse } = statement as hbs.AST.BlockStatement;
  const value = params[0] === undefined ? undefined : lookedUp(params[0], contexts);
  const isEmpty = Array.isArray(value) ? value.length === 0 : !value;
  if (isEmpty) return inProgram(inverse, contexts);
  if ((path as hbs.AST.PathExpression).original !== "each") return inProgram(program, contexts);
  for (const item of Object.values(value as object)) {
    const found = inProgram(program, [...contexts, item]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inPath(param: hbs.AST.Expression, contexts: Contexts): MissingField | undefined {
  if (param.type !== "PathExpression") return undefined;
  const { data, parts, loc } = param as hbs.AST.PathExpression;
  const [name] = parts;
  const context = contextOf(param as hbs.AST.PathExpression, contexts);
  if (data || name === undefined || typeof context !== "object" || context === null) return undefined;
  return name in context ? undefined : { name, line: loc.start.line, known: Object.keys(context) };
}

function lookedUp(param: hbs.AST.Expression, contexts: Contexts): unknown {
  const path = param as hbs.AST.PathExpression;
  return path.parts.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | null | undefined)?.[part],
    contextOf(path, contexts),
  );
}

const contextOf = ({ depth }: hbs.AST.PathExpression, contexts: Contexts): unknown => contexts.at(-1 - depth);
