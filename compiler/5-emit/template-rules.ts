import { handlebars } from "./handlebars.js";
import { PRINTERS } from "./templates.js";

const BLOCKS = ["if", "each"];

/**
 * Reports constructs of a template other than printing by a printer, and blocks over a field of its view.
 * Throws if it cannot be parsed.
 */
export function templateViolations(source: string): string[] {
  const found: string[] = [];
  const path = (node: hbs.AST.Expression) =>
    node.type === "PathExpression" ? (node as hbs.AST.PathExpression).original : "";
  const at = ({ loc }: hbs.AST.Node) => `line ${loc.start.line}: `;
  const visit = (program: hbs.AST.Program | undefined): void => {
    for (const statement of program?.body ?? []) check(statement);
  };
  const check = (statement: hbs.AST.Statement): void => {
    if (statement.type === "MustacheStatement") {
      const mustache = statement as hbs.AST.MustacheStatement;
      const name = path(mustache.path as hbs.AST.PathExpression);
      if (!Object.hasOwn(PRINTERS, name) || mustache.params.length !== 1)
        found.push(
          `${at(mustache)}{{${name}}} prints without a printer: {{lit ${name}}} or {{expr ${name}}}`,
        );
      if (mustache.params.some((param) => path(param) === ""))
        found.push(`${at(mustache)}${name} prints something computed`);
      if (!mustache.escaped) found.push(`${at(mustache)}{{{${name}}}} is a raw mustache`);
    } else if (statement.type === "BlockStatement") {
      const block = statement as hbs.AST.BlockStatement;
      const name = path(block.path);
      if (!BLOCKS.includes(name))
        found.push(
          `${at(block)}{{#${name}}} is not allowed: blocks are ${BLOCKS.map((one) => `{{#${one}}}`).join(", ")}`,
        );
      if (block.params.some((param) => path(param) === ""))
        found.push(`${at(block)}{{#${name}}} computes something`);
      visit(block.program);
      visit(block.inverse);
    } else if (!["ContentStatement", "PartialStatement", "CommentStatement"].includes(statement.type)) {
      found.push(`${statement.type} is not allowed`);
    }
  };
  visit(handlebars().parse(source));
  return found;
}

/** Line with `await` in a template; undefined if there is none. */
export function lineOfAwait(source: string): number | undefined {
  const line = source
    .split("\n")
    .findIndex((text) => /\bawait\b/.test(text.replace(/\{\{.*?\}\}|\/\/.*/g, "")));
  return line < 0 ? undefined : line + 1;
}
