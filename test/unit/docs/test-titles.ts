import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { ROOT } from "../../architecture/sources.js";

const TEST = /^(?:it|test|describe)\b/;

/** Returns the titles of tests and groups of a file with their placeholders, such as `%s` and `${name}`. */
export function testTitles(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TEST.test(node.expression.getText(tree)))
      found.push(...titleOf(node.arguments[0], tree));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function titleOf(title: ts.Expression | undefined, tree: ts.SourceFile): string[] {
  if (title === undefined) return [];
  if (ts.isStringLiteral(title) || ts.isNoSubstitutionTemplateLiteral(title)) return [title.text];
  return ts.isTemplateExpression(title) ? [title.getText(tree).slice(1, -1)] : [];
}
