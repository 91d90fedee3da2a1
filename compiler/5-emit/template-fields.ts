import { handlebars } from "./handlebars.js";

/** Field that a template names and its view lacks. */
export interface MissingField {
  name: string;
  /** Line of the template. */
  line: number;
  /** Fields that the view has instead. */
  known: string[];
}

type Contexts = readonly unknown[];

/**
 * Finds the first field of a template that its view lacks. Handlebars' strict mode checks only plain
 * mustaches, not arguments of printers and blocks: a typo there prints nothing or counts as false.
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
