import Handlebars from "handlebars";
import { PRINTERS } from "./templates.js";

const BLOCKS = ["if", "each"];

/** What a template does beyond printing through a printer and asking for a field of its view. Throws for what does not parse. */
export function templateOffences(source: string): string[] {
  const found: string[] = [];
  const path = (node: hbs.AST.Expression) =>
    node.type === "PathExpression" ? (node as hbs.AST.PathExpression).original : "";
  const visit = (program: hbs.AST.Program | undefined): void => {
    for (const statement of program?.body ?? []) check(statement);
  };
  const check = (statement: hbs.AST.Statement): void => {
    if (statement.type === "MustacheStatement") {
      const mustache = statement as hbs.AST.MustacheStatement;
      const name = path(mustache.path as hbs.AST.PathExpression);
      if (!Object.hasOwn(PRINTERS, name) || mustache.params.length !== 1)
        found.push(`{{${name}}} prints without a printer`);
      if (mustache.params.some((param) => path(param) === ""))
        found.push(`${name} prints something computed`);
      if (!mustache.escaped) found.push(`{{{${name}}}} is a raw mustache`);
    } else if (statement.type === "BlockStatement") {
      const block = statement as hbs.AST.BlockStatement;
      const name = path(block.path);
      if (!BLOCKS.includes(name)) found.push(`{{#${name}}} is no decision of the view`);
      if (block.params.some((param) => path(param) === "")) found.push(`{{#${name}}} computes something`);
      visit(block.program);
      visit(block.inverse);
    } else if (!["ContentStatement", "PartialStatement", "CommentStatement"].includes(statement.type)) {
      found.push(`${statement.type} is not allowed`);
    }
  };
  visit(Handlebars.parse(source));
  return found;
}
